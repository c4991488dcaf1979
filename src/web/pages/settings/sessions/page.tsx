import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useSessions, type SessionDto } from '../../../api/access-queries.ts'
import { useNow } from '../../../app/use-now.ts'
import { DataList } from '../../../components/data-list.tsx'
import { Notice, Pending } from '../../../components/notice.tsx'
import { Pager } from '../../../components/pager.tsx'
import { SearchField } from '../../../components/search-field.tsx'
import { Segments } from '../../../components/segments.tsx'
import { countText } from '../../../format/numbers.ts'
import { t } from '../../../locales/translate.ts'
import { SettingsPage } from '../settings-page.tsx'
import { SidePanel } from '../../../components/side-panel.tsx'
import { BulkActions } from './bulk.tsx'
import { columnsOf, deviceText } from './columns.tsx'
import { deviceOf, filterSessions } from './describe.ts'
import { SessionDetail } from './detail.tsx'
import { sessionsSearch, type SessionsSearch } from './search.ts'

const route = getRouteApi('/settings/sessions')
const pageSize = 25

/** Active and ended sessions. */
export function Page() {
  const search = route.useSearch()
  const navigate = useNavigate()
  const { data, error } = useSessions()
  const now = useNow(15_000)
  const change = (part: Partial<SessionsSearch>) => {
    const next = sessionsSearch({ ...search, ...part })
    void navigate({ to: '/settings/sessions', search: next, resetScroll: false })
  }
  const isEnded = search.view === 'ended'
  const listed = isEnded ? (data?.historySessions ?? []) : (data?.sessions ?? [])
  const rows = filterSessions(listed, { type: search.type, search: search.search ?? '' })
  const pages = Math.max(1, Math.ceil(rows.length / pageSize))
  const page = Math.min(search.page ?? 1, pages)
  const shownRows = rows.slice((page - 1) * pageSize, page * pageSize)
  const all = [...(data?.sessions ?? []), ...(data?.historySessions ?? [])]
  const shown = all.find(({ id }) => id === search.open)
  return (
    <SettingsPage title={t('settings.sessions')}>
      <Filters search={search} counts={data} onChange={change} />
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
        <BulkActions sessions={data.sessions} guests={data.guestCount} />
      )}
      <Detail
        session={shown}
        isOpen={search.open !== undefined}
        isKnown={data !== undefined}
        onClose={() => change({ open: undefined })}
      />
    </SettingsPage>
  )
}

interface FiltersProps {
  search: SessionsSearch
  counts: { count: number; adminCount: number; userCount: number; guestCount: number } | undefined
  onChange: (part: Partial<SessionsSearch>) => void
}

function Filters({ search, counts, onChange }: FiltersProps) {
  const isEnded = search.view === 'ended'
  const numbered = (label: string, count: number | undefined) =>
    isEnded || count === undefined ? label : `${label} ${countText(count)}`
  return (
    <div role="search" className="flex flex-wrap items-center gap-2.5">
      <Segments
        label={t('sessions.view')}
        value={search.view ?? 'active'}
        options={[
          { value: 'active', label: t('sessions.active') },
          { value: 'ended', label: t('sessions.ended') },
        ]}
        onChange={(view) =>
          onChange({ view: view === 'ended' ? view : undefined, page: undefined })
        }
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
        onChange={(type) => onChange({ ...sessionsSearch({ type }), page: undefined })}
      />
      <SearchField
        label={t('sessions.search')}
        value={search.search ?? ''}
        onChange={(text) => onChange({ search: text, page: undefined })}
        className="min-w-[180px] md:max-w-[280px]"
      />
    </div>
  )
}

interface DetailProps {
  session: SessionDto | undefined
  isOpen: boolean
  isKnown: boolean
  onClose: () => void
}

function Detail({ session, isOpen, isKnown, onClose }: DetailProps) {
  const title =
    session === undefined ? t('settings.sessions') : deviceText(deviceOf(session.userAgent))
  return (
    <SidePanel title={title} isOpen={isOpen} onClose={onClose}>
      {session !== undefined && (
        <SessionDetail key={session.id} session={session} onGone={onClose} />
      )}
      {session === undefined && isKnown && <Notice title={t('sessions.gone')} />}
    </SidePanel>
  )
}
