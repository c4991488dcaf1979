import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { Settings2 } from 'lucide-react'
import { useState } from 'react'
import {
  useAddresses,
  useClientGroups,
  useClientLines,
  useExclusions,
  useHostnames,
  useBypass,
  type BypassSuspect,
} from '../../api/client-queries.ts'
import { scopeQuery, useClients, useIsAccount, useClientNames } from '../../api/queries.ts'
import { PageFrame } from '../../app/page-frame.tsx'
import { RangePicker } from '../../app/range-picker.tsx'
import { readRange, withRange, writeRange, type Range } from '../../app/range.ts'
import { useNow } from '../../app/clock.ts'
import { DataList } from '../../components/data-list.tsx'
import { Button, SearchField, Segments } from '../../components/form-controls.tsx'
import { Empty } from '../../components/empty.tsx'
import { ExportMenu } from '../../components/export-menu.tsx'
import { Forbidden, Pending, Card } from '../../components/card.tsx'
import { countText } from '../../format/numbers.ts'
import { useSpeeds } from '../../live/store.ts'
import { t, tn, type Key } from '../../locales/translate.ts'
import { clientColumns } from './columns.tsx'
import { clientsSearch, standardSort, type ClientsSearch } from '../../app/clients/search.ts'
import { countingsOf } from '../../app/clients/counting.ts'
import { clientRows } from '../../app/clients/tree.ts'
import { api, unwrap, keys } from '../../api/client.ts'
import { ClientName } from '../../components/clients/device-icon.tsx'
import { Dot } from '../../components/figures.tsx'
import { clientName, serviceName } from '../../format/services.ts'
import { momentText } from '../../format/times.ts'
import { Action } from '../../components/setting-controls.tsx'

const route = getRouteApi('/clients')
/** Maximum per response. */
const listedMax = 1000

/** The page's state in its address. */
function useAddress() {
  const search = route.useSearch()
  const navigate = useNavigate()
  const change = (part: Partial<ClientsSearch>) => {
    const next = clientsSearch({ ...search, ...part })
    void navigate({ to: '/clients', search: withRange(next), resetScroll: false, replace: true })
  }
  return { search, range: readRange(search), change }
}

/** Clients with their downloads and hit rates. */
export function Page() {
  const isAccount = useIsAccount()
  return (
    <PageFrame title={t('nav.clients')} tools={<RangePicker replace />}>
      {isAccount ? (
        <>
          <ClientsList />
          <BypassCard />
        </>
      ) : (
        <Forbidden />
      )}
    </PageFrame>
  )
}

/** Groups, exclusions and host names of clients. */
function useIdentities() {
  const groups = useClientGroups().data
  const rules = useExclusions().data?.rules
  const hostnames = useHostnames().data?.hostnames
  return { groups: groups ?? [], countings: countingsOf(rules ?? []), hostnames: hostnames ?? {} }
}

function ClientsList() {
  const { search, range, change } = useAddress()
  const navigate = useNavigate()
  const { data, error, isPlaceholderData } = useClients(range)
  const addresses = useAddresses(range).data ?? []
  const lines = useClientLines(range).data?.lines ?? {}
  const identities = useIdentities()
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set())
  const now = useNow(15_000)
  const speeds = new Map(
    useSpeeds()?.clientSpeeds.map(({ clientIp, bytesPerSecond }) => [clientIp, bytesPerSecond]),
  )
  const sort = search.sort ?? standardSort
  const show = search.show ?? 'all'
  const parts = { totals: data ?? [], addresses, ...identities }
  const rows = clientRows(parts, { sort, search: search.search ?? '', show, open })
  const hasGroups = rows.some(({ isGroup }) => isGroup)
  const most = Math.max(0, ...rows.map(({ stats }) => stats?.totalBytes ?? 0))
  const toggle = (id: number | undefined) => {
    if (id === undefined) return
    const next = new Set(open)
    if (!next.delete(id)) next.add(id)
    setOpen(next)
  }
  return (
    <>
      <Filters leftOut={identities.countings.size} />
      <div className="card">
        {data === undefined && <Pending isList error={error} rows={6} />}
        {data !== undefined && rows.length === 0 && <NoClients />}
        {rows.length > 0 && (
          <DataList
            label={t('nav.clients')}
            columns={clientColumns({ now, speeds, hasGroups, most, lines })}
            rows={rows}
            rowKey={({ key }) => key}
            sort={sort}
            onSort={(next) => change({ sort: clientsSearch({ sort: next }).sort })}
            isOld={isPlaceholderData}
            branches={{
              levelOf: ({ isMember }) => (isMember ? 2 : 1),
              isOpen: ({ isOpen }) => isOpen,
              onToggle: ({ group }) => toggle(group?.id),
            }}
            onOpen={(row) => {
              if (row.isGroup) toggle(row.group?.id)
              else {
                const params = { ip: row.ip }
                void navigate({ to: '/clients/$ip', params })
              }
            }}
          />
        )}
      </div>
      {data?.length === listedMax && (
        <p className="mt-2 text-small text-dim">
          {t('clients.cut', { count: countText(listedMax) })}
        </p>
      )}
    </>
  )
}

/** Offers what brings rows: no filter, more time, or finding out why nobody uses the cache. */
function NoClients() {
  const { search, range, change } = useAddress()
  if (search.search !== undefined || search.show !== undefined) {
    const clear = { search: undefined, show: undefined }
    return (
      <Empty
        picture="search"
        title={t('clients.noMatch')}
        action={<Button onClick={() => change(clear)}>{t('clients.showAll')}</Button>}
      >
        {t('clients.noMatchText')}
      </Empty>
    )
  }
  const isAll = 'span' in range && range.span === 'all'
  return (
    <Empty
      picture="clients"
      title={t('clients.none')}
      action={
        isAll ? (
          <Link to="/settings/status-check" className="control">
            {t('downloads.check')}
          </Link>
        ) : (
          <Button onClick={() => change(writeRange({ span: 'all' }))}>
            {t('downloads.allTime')}
          </Button>
        )
      }
    >
      {t('clients.noneText')}
    </Empty>
  )
}

function Filters({ leftOut }: { leftOut: number }) {
  const { search, range, change } = useAddress()
  const hidden = t('clients.leftOut')
  return (
    <div className="mb-3 flex flex-wrap items-center gap-2.5">
      <SearchField
        label={t('clients.search')}
        hint={t('clients.searchHint')}
        value={search.search ?? ''}
        onChange={(text) => change({ search: text })}
        className="min-w-[180px] md:max-w-[300px]"
      />
      <Segments<string>
        label={t('clients.show')}
        value={search.show ?? 'all'}
        options={[
          { value: 'all', label: t('clients.all') },
          { value: 'groups', label: t('clients.groups') },
          { value: 'left-out', label: leftOut > 0 ? `${hidden} ${countText(leftOut)}` : hidden },
        ]}
        onChange={(show) => change({ show: clientsSearch({ show }).show })}
      />
      <span className="ml-auto flex gap-2.5">
        <Link to="/settings/clients" className="control max-md:px-2.5">
          <Settings2 size={15} />
          <span className="max-md:sr-only">{t('clients.manage')}</span>
        </Link>
        <ExportMenu
          note={t('clients.exportNote')}
          addressOf={(format) => exportAddress(range, format)}
        />
      </span>
    </div>
  )
}

function exportAddress(range: Range, format: string): string {
  const query = new URLSearchParams({ format })
  for (const [name, value] of Object.entries(scopeQuery(range))) query.set(name, String(value))
  return `/api/ext/clients/export?${query.toString()}`
}

const dayMs = 86_400_000
const daysText = (days: number): string => tn('bypass.days', Math.floor(days))
const proofTexts: Record<NonNullable<BypassSuspect['proof']>['kind'], Key> = {
  address: 'bypass.gotAddress',
  upstream: 'bypass.askedServer',
  ipv6: 'bypass.gotIpv6',
}

/** Clients that use platforms but not the cache; nothing without one. */
export function BypassCard() {
  const items = useBypass().data?.items.filter(({ isDismissed }) => !isDismissed) ?? []
  if (items.length === 0) return null
  return (
    <Card
      title={t('bypass.title')}
      note={t('bypass.note')}
      className="mt-3"
      stale={[keys.exclusions]}
    >
      <ul className="-mt-2 -mb-3 divide-y divide-line">
        {items.map((suspect) => (
          <SuspectRow key={suspect.clientIp} suspect={suspect} />
        ))}
      </ul>
    </Card>
  )
}

/** What speaks against a client: what the DNS server has logged, else only its absence. */
function reasonOf({ proof, ...suspect }: BypassSuspect, now: Date): string {
  if (proof !== null) {
    const { kind, host, address, atUtc } = proof
    return t(proofTexts[kind], { host, address, at: momentText(new Date(atUtc), now) })
  }
  const { isSilent, lastSeenUtc, usualBreakDays, services } = suspect
  const since = daysText((now.getTime() - Date.parse(lastSeenUtc ?? '')) / dayMs)
  if (isSilent) {
    return t('bypass.silent', { since, usual: daysText(usualBreakDays ?? 0) })
  }
  return t('bypass.services', { since, services: services.map(serviceName).join(', ') })
}

/** Where to look first. */
function Hint({ hint }: { hint: NonNullable<BypassSuspect['hint']> }) {
  if (hint === 'ownDns') return t('bypass.ownDns')
  return (
    <>
      {t('bypass.networkDns')}{' '}
      <Link to="/settings/status-check" className="link">
        {t('bypass.check')}
      </Link>
    </>
  )
}

function SuspectRow({ suspect }: { suspect: BypassSuspect }) {
  const now = useNow(60_000)
  const names = useClientNames()
  const { clientIp, proof, hint } = suspect
  const name = clientName(clientIp, null, names)
  const dismiss = (isDismissed: boolean) =>
    unwrap(api.ext.clients({ ip: clientIp }).bypass.put({ isDismissed }))
  return (
    <li className="flex flex-wrap items-start gap-x-6 gap-y-2 py-3">
      <div className="min-w-[min(240px,100%)] flex-1">
        <p className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
          <Link
            to="/clients/$ip"
            params={{ ip: clientIp }}
            className="py-[3px] font-medium hover:underline"
          >
            <ClientName ip={clientIp} name={name} />
          </Link>
          {name !== clientIp && <span className="text-small text-dim">{clientIp}</span>}
          <span className="inline-flex items-center gap-1.5 text-small">
            <Dot tone={proof === null ? 'quiet' : 'attention'} />
            {t(proof === null ? 'bypass.perhaps' : 'bypass.certain')}
          </span>
        </p>
        <p className="max-w-[80ch] text-[13px] [overflow-wrap:anywhere]">
          {reasonOf(suspect, now)}
        </p>
        {hint !== null && (
          <p className="max-w-[80ch] text-small text-dim">
            <Hint hint={hint} />
          </p>
        )}
      </div>
      <Action
        label={t('bypass.dismiss')}
        name={t('bypass.dismissOf', { name })}
        run={() => dismiss(true)}
        undo={() => dismiss(false)}
        done={t('bypass.dismissed', { name })}
      />
    </li>
  )
}
