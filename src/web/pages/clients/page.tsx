import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { Settings2 } from 'lucide-react'
import { useState } from 'react'
import {
  useAddresses,
  useClientGroups,
  useClientLines,
  useExclusions,
  useHostnames,
} from '../../api/client-queries.ts'
import { scopeQuery, useClients, useIsAccount } from '../../api/queries.ts'
import { PageFrame } from '../../app/page-frame.tsx'
import { RangePicker } from '../../app/range-picker.tsx'
import { readRange, withRange, writeRange, type Range } from '../../app/range.ts'
import { useNow } from '../../app/use-now.ts'
import { DataList } from '../../components/data-list.tsx'
import { Button, SearchField, Segments } from '../../components/form-controls.tsx'
import { Empty } from '../../components/empty.tsx'
import { ExportMenu } from '../../components/export-menu.tsx'
import { Forbidden, Pending } from '../../components/notice.tsx'
import { countText } from '../../format/numbers.ts'
import { useSpeeds } from '../../live/store.ts'
import { t } from '../../locales/translate.ts'
import { BypassCard } from './bypass-card.tsx'
import { clientColumns } from './columns.tsx'
import { clientsSearch, standardSort, type ClientsSearch } from '../../app/clients/search.ts'
import { countingsOf } from '../../app/clients/counting.ts'
import { clientRows } from '../../app/clients/tree.ts'

const route = getRouteApi('/clients')
/** Maximum per response. */
const listedMax = 1000
type Change = (part: Partial<ClientsSearch>) => void

/** Clients with their downloads and hit rates. */
export function Page() {
  const search = route.useSearch()
  const navigate = useNavigate()
  const isAccount = useIsAccount()
  const range = readRange(search)
  const change: Change = (part) => {
    const next = clientsSearch({ ...search, ...part })
    void navigate({ to: '/clients', search: withRange(next), resetScroll: false, replace: true })
  }
  return (
    <PageFrame
      title={t('nav.clients')}
      tools={<RangePicker value={range} onChange={(next) => change(writeRange(next))} />}
    >
      {isAccount ? (
        <>
          <ClientsList search={search} range={range} onChange={change} />
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

interface ListProps {
  search: ClientsSearch
  range: Range
  onChange: Change
}

function ClientsList({ search, range, onChange }: ListProps) {
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
      <Filters
        search={search}
        range={range}
        leftOut={identities.countings.size}
        onChange={onChange}
      />
      <div className="card">
        {data === undefined && <Pending isList error={error} rows={6} />}
        {data !== undefined && rows.length === 0 && (
          <NoClients search={search} range={range} onChange={onChange} />
        )}
        {rows.length > 0 && (
          <DataList
            label={t('nav.clients')}
            columns={clientColumns({ now, speeds, hasGroups, most, lines })}
            rows={rows}
            rowKey={({ key }) => key}
            sort={sort}
            onSort={(next) => onChange({ sort: clientsSearch({ sort: next }).sort })}
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
function NoClients({ search, range, onChange }: ListProps) {
  if (search.search !== undefined || search.show !== undefined) {
    const clear = { search: undefined, show: undefined }
    return (
      <Empty
        picture="search"
        title={t('clients.noMatch')}
        action={<Button onClick={() => onChange(clear)}>{t('clients.showAll')}</Button>}
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
          <Button onClick={() => onChange(writeRange({ span: 'all' }))}>
            {t('downloads.allTime')}
          </Button>
        )
      }
    >
      {t('clients.noneText')}
    </Empty>
  )
}

interface FiltersProps extends ListProps {
  leftOut: number
}

function Filters({ search, range, leftOut, onChange }: FiltersProps) {
  const hidden = t('clients.leftOut')
  return (
    <div className="mb-3 flex flex-wrap items-center gap-2.5">
      <SearchField
        label={t('clients.search')}
        hint={t('clients.searchHint')}
        value={search.search ?? ''}
        onChange={(text) => onChange({ search: text })}
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
        onChange={(show) => onChange({ show: clientsSearch({ show }).show })}
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
