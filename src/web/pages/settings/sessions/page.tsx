import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { Monitor, Smartphone, Tablet, Terminal } from 'lucide-react'
import { useSessions, type SessionDto } from '../../../api/access-queries.ts'
import { api, unwrap, keys } from '../../../api/client.ts'
import { useNow } from '../../../app/clock.ts'
import { choices, SearchField, Segments } from '../../../components/form-controls.tsx'
import { DataList, type Column } from '../../../components/data-list.tsx'
import { Dot, type Tone, Time } from '../../../components/figures.tsx'
import { Notice, Pending, Saves } from '../../../components/card.tsx'
import { Pager } from '../../../components/pager.tsx'
import { Action } from '../../../components/setting-controls.tsx'
import { SidePanel } from '../../../components/side-panel.tsx'
import { notify } from '../../../components/toast.tsx'
import { countText } from '../../../format/numbers.ts'
import { agoText } from '../../../format/times.ts'
import { t, tn } from '../../../locales/translate.ts'
import { SettingsPage } from '../settings-page.tsx'
import {
  deviceOf,
  deviceText,
  endLabel,
  filterSessions,
  presenceOf,
  type Presence,
} from './describe.ts'
import { SessionDetail } from './detail.tsx'
import { sessionsSearch, type SessionsSearch } from './search.ts'

const route = getRouteApi('/settings/sessions')
const pageSize = 25

/** The page's state in its address. */
function useAddress() {
  const search = route.useSearch()
  const navigate = useNavigate()
  const change = (part: Partial<SessionsSearch>) => {
    const next = sessionsSearch({ ...search, ...part })
    void navigate({ to: '/settings/sessions', search: next, resetScroll: false })
  }
  return { search, change }
}

/** Active and ended sessions. */
export function Page() {
  const { search, change } = useAddress()
  const { data, error } = useSessions()
  const now = useNow(15_000)
  const isEnded = search.view === 'ended'
  const listed = isEnded ? (data?.historySessions ?? []) : (data?.sessions ?? [])
  const rows = filterSessions(listed, { type: search.type, search: search.search ?? '' })
  const pages = Math.max(1, Math.ceil(rows.length / pageSize))
  const page = Math.min(search.page ?? 1, pages)
  const shownRows = rows.slice((page - 1) * pageSize, page * pageSize)
  const all = [...(data?.sessions ?? []), ...(data?.historySessions ?? [])]
  const shown = all.find(({ id }) => id === search.open)
  const close = () => change({ open: undefined })
  return (
    <SettingsPage title={t('settings.sessions')}>
      <Filters />
      <div className="card">
        {data === undefined && <Pending isList error={error} rows={5} />}
        {data !== undefined && rows.length === 0 && (
          <Notice title={t('sessions.none')} className="py-12">
            {t(isEnded && listed.length === 0 ? 'sessions.noneEnded' : 'sessions.noneText')}
          </Notice>
        )}
        {shownRows.length > 0 && (
          <DataList
            label={t('settings.sessions')}
            columns={columnsOf(now, isEnded)}
            rows={shownRows}
            rowKey={({ id }) => id}
            offset={(page - 1) * pageSize}
            total={rows.length}
            onOpen={({ id }) => change({ open: id })}
          />
        )}
        {pages > 1 && (
          <Pager
            page={page}
            pages={pages}
            size={pageSize}
            total={rows.length}
            onPage={(next) => change({ page: next })}
          />
        )}
      </div>
      {data !== undefined && !isEnded && data.count > data.sessions.length && (
        <p className="text-small text-dim">
          {t('sessions.cut', {
            shown: countText(data.sessions.length),
            count: countText(data.count),
          })}
        </p>
      )}
      {data !== undefined && !isEnded && (
        <Saves stale={[keys.sessions]}>
          <BulkActions sessions={data.sessions} guests={data.guestCount} />
        </Saves>
      )}
      <SidePanel
        isInAddress
        title={shown === undefined ? t('settings.sessions') : deviceText(deviceOf(shown.userAgent))}
        isOpen={search.open !== undefined}
        onClose={close}
      >
        {shown !== undefined && <SessionDetail key={shown.id} session={shown} onGone={close} />}
        {shown === undefined && data !== undefined && <Notice title={t('sessions.gone')} />}
      </SidePanel>
    </SettingsPage>
  )
}

function Filters() {
  const { search, change } = useAddress()
  const { data: counts } = useSessions()
  const isEnded = search.view === 'ended'
  const numbered = (label: string, count: number | undefined) =>
    isEnded || count === undefined ? label : `${label} ${countText(count)}`
  return (
    <div role="search" className="flex flex-wrap items-center gap-2.5">
      <Segments
        label={t('sessions.view')}
        value={search.view ?? 'active'}
        options={choices({ active: 'sessions.active', ended: 'sessions.ended' })}
        onChange={(view) => change({ view: view === 'ended' ? view : undefined, page: undefined })}
      />
      <Segments<string>
        label={t('accounts.role')}
        value={search.type ?? 'all'}
        options={[
          { value: 'all', label: numbered(t('sessions.all'), counts?.count) },
          { value: 'admin', label: numbered(t('role.admins'), counts?.adminCount) },
          { value: 'user', label: numbered(t('role.users'), counts?.userCount) },
          { value: 'guest', label: numbered(t('role.guests'), counts?.guestCount) },
        ]}
        onChange={(type) => change({ ...sessionsSearch({ type }), page: undefined })}
      />
      <SearchField
        label={t('sessions.search')}
        value={search.search ?? ''}
        onChange={(text) => change({ search: text, page: undefined })}
        className="min-w-[180px] md:max-w-[280px]"
      />
    </div>
  )
}

const presenceTones: Record<Presence, Tone> = { here: 'good', away: 'quiet', idle: 'quiet' }
const icons = { desktop: Monitor, mobile: Smartphone, tablet: Tablet, other: Terminal }

function Name({ session }: { session: SessionDto }) {
  const device = deviceOf(session.userAgent)
  const Icon = icons[device.kind]
  return (
    <span className="flex items-center gap-3">
      <Icon size={18} strokeWidth={1.6} className="flex-none text-dim" />
      <span className="min-w-0">
        <span className="block truncate font-medium">
          {session.username ?? t(`role.${session.sessionType}`)}
          {session.isCurrentSession && (
            <span className="font-normal text-dim"> · {t('sessions.current')}</span>
          )}
        </span>
        <span className="block truncate text-small text-dim">
          {session.username !== null && `${t(`role.${session.sessionType}`)} · `}
          {deviceText(device)} · {session.ipAddress}
        </span>
      </span>
    </span>
  )
}

function columnsOf(now: Date, isEnded: boolean): Column<SessionDto>[] {
  return [
    {
      header: t('sessions.nameHeader'),
      width: 'minmax(0,2fr)',
      cell: (session) => <Name session={session} />,
    },
    {
      header: t('accounts.state'),
      width: '118px',
      from: 'sm',
      cell: (session) => {
        const presence = presenceOf(session.lastSeenAt, now)
        return (
          <span className="flex items-center gap-2 text-dim">
            <Dot tone={isEnded ? 'quiet' : presenceTones[presence]} />
            {t(isEnded ? endLabel(session) : `sessions.presence.${presence}`)}
          </span>
        )
      },
    },
    {
      header: t('sessions.since'),
      width: '90px',
      align: 'end',
      from: 'md',
      cell: ({ createdAt }) => (
        <Time at={createdAt} now={now} text={agoText} className="text-dim" />
      ),
    },
    {
      header: t('column.seen'),
      width: '104px',
      align: 'end',
      cell: ({ lastSeenAt }) => (
        <Time at={lastSeenAt} now={now} text={agoText} className="text-dim" />
      ),
    },
  ]
}

/** Actions on many sessions at once. */
function BulkActions({ sessions, guests }: { sessions: readonly SessionDto[]; guests: number }) {
  const others = sessions.filter(({ isCurrentSession }) => !isCurrentSession)
  const endOthers = async () => {
    for (const { id } of others) await unwrap(api.sessions({ id }).revoke.patch())
    notify(tn('sessions.endedCount', others.length))
  }
  const clearGuests = async () => {
    const { clearedCount } = await unwrap(api.sessions.bulk['clear-guests'].delete())
    notify(tn('sessions.endedCount', clearedCount))
  }
  const resetGuests = async () => {
    const { affectedCount } = await unwrap(api.sessions.bulk['reset-to-defaults'].post())
    notify(tn('sessions.resetCount', affectedCount))
  }
  return (
    <div className="flex flex-wrap gap-2">
      <Action
        label={t('sessions.endOthers')}
        consequence={tn('sessions.endOthersConsequence', others.length)}
        run={endOthers}
        disabled={others.length === 0}
      />
      <Action
        label={t('sessions.clearGuests')}
        consequence={tn('sessions.clearGuestsConsequence', guests)}
        run={clearGuests}
        disabled={guests === 0}
      />
      <Action
        label={t('sessions.resetGuests')}
        consequence={t('sessions.resetGuestsConsequence')}
        run={resetGuests}
        disabled={guests === 0}
      />
    </div>
  )
}
