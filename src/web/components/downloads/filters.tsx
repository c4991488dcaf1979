import { SlidersHorizontal, X } from 'lucide-react'
import { useEffect, useRef, useState, type ReactNode } from 'react'
import { useBatch, useClients, useClientNames } from '../../api/queries.ts'
import type { Range } from '../../app/range.ts'
import type { DownloadsSearch } from '../../app/search-state.ts'
import { Popover } from '../popover.tsx'
import { SearchField, Switch, Button } from '../form-controls.tsx'
import { clientName } from '../../format/clients.ts'
import { serviceName } from '../../format/services.ts'
import { t, type Key } from '../../locales/translate.ts'

export type Change = (part: Partial<DownloadsSearch>) => void

interface FiltersProps {
  search: DownloadsSearch
  range: Range
  /** A client's page does not offer the client filter. */
  hides?: readonly ('client' | 'group' | 'service' | 'search')[]
  onChange: Change
  /** Tools at the end of the row. */
  children: ReactNode
}

const filterNames = [
  'service',
  'client',
  'search',
  'hits',
  'group',
  'unknown',
  'local',
  'empty',
  'prefill',
] as const

/** The part of a search that clears all filters. */
export const noFilters = Object.fromEntries(filterNames.map((name) => [name, undefined]))

export const isFiltered = (search: DownloadsSearch): boolean =>
  filterNames.some((name) => search[name] !== undefined)

/** Filters as plain controls, with their state always visible. */
export function Filters({ search, range, hides = [], onChange, children }: FiltersProps) {
  return (
    <div role="search" aria-label={t('filter.label')} className="flex min-w-0 flex-wrap gap-2">
      {!hides.includes('search') && (
        <SearchBox value={search.search ?? ''} onChange={(text) => onChange({ search: text })} />
      )}
      <div className="flex min-w-0 gap-2 max-md:w-full max-md:overflow-x-auto max-md:pb-1 md:flex-wrap">
        {!hides.includes('service') && (
          <ServiceSelect search={search} range={range} onChange={onChange} />
        )}
        {!hides.includes('client') && (
          <ClientSelect search={search} range={range} onChange={onChange} />
        )}
        <select
          className="control"
          aria-label={t('filter.hits')}
          value={search.hits ?? ''}
          onChange={({ target }) => onChange({ hits: hitsOf(target.value) })}
        >
          <option value="">{t('filter.hitsAll')}</option>
          <option value="hit">{t('filter.hitsHit')}</option>
          <option value="miss">{t('filter.hitsMiss')}</option>
        </select>
        {!hides.includes('group') && (
          <select
            className="control"
            aria-label={t('filter.group')}
            value={search.group ?? ''}
            onChange={({ target }) => onChange({ group: groupOf(target.value) })}
          >
            <option value="">{t('filter.groupNone')}</option>
            <option value="game">{t('filter.groupGame')}</option>
            <option value="service">{t('filter.groupService')}</option>
          </select>
        )}
        <MoreFilters search={search} onChange={onChange} />
        {isFiltered(search) && (
          <Button className="text-dim" onClick={() => onChange(noFilters)}>
            <X size={14} />
            {t('filter.clear')}
          </Button>
        )}
        {children}
      </div>
    </div>
  )
}

const switches: readonly { name: 'unknown' | 'local' | 'empty' | 'prefill'; label: Key }[] = [
  { name: 'unknown', label: 'filter.hideUnknown' },
  { name: 'local', label: 'filter.hideLocal' },
  { name: 'empty', label: 'filter.hideEmpty' },
  { name: 'prefill', label: 'filter.showPrefill' },
]

/** Rarely used filters; the button shows how many are active. */
function MoreFilters({ search, onChange }: Pick<FiltersProps, 'search' | 'onChange'>) {
  const on = switches.filter(({ name }) => search[name] !== undefined).length
  const face = (
    <>
      <SlidersHorizontal size={15} />
      {on > 0 && <span className="figure font-semibold">{on}</span>}
    </>
  )
  return (
    <Popover
      label={t('filter.more')}
      face={face}
      buttonClass="control px-2.5"
      className="w-[290px]"
    >
      {() => (
        <div className="space-y-1 p-2">
          {switches.map(({ name, label }) => (
            <div key={name} className="flex min-h-9 items-center gap-3 text-[13px]">
              <span className="flex-1">{t(label)}</span>
              <Switch
                label={t(label)}
                isOn={search[name] !== undefined}
                onChange={(isOn) => onChange({ [name]: isOn ? valueOf[name] : undefined })}
              />
            </div>
          ))}
        </div>
      )}
    </Popover>
  )
}

const valueOf = { unknown: 'hide', local: 'hide', empty: 'hide', prefill: 'show' } as const

const hitsOf = (value: string): DownloadsSearch['hits'] =>
  value === 'hit' || value === 'miss' ? value : undefined

const groupOf = (value: string): DownloadsSearch['group'] =>
  value === 'game' || value === 'service' ? value : undefined

const typingPauseMs = 300

function SearchBox({
  value,
  onChange,
}: {
  value: string
  onChange: (text: string | undefined) => void
}) {
  const [text, setText] = useState(value)
  const sent = useRef(value)
  useEffect(() => {
    // Changed from outside: by a link, Back, or "clear".
    if (value !== sent.current) {
      sent.current = value
      setText(value)
    }
  }, [value])
  useEffect(() => {
    const wanted = text.trim()
    if (wanted === sent.current) return undefined
    const timer = setTimeout(() => {
      sent.current = wanted
      onChange(wanted === '' ? undefined : wanted)
    }, typingPauseMs)
    return () => clearTimeout(timer)
  }, [text, onChange])
  return (
    <SearchField
      label={t('filter.search')}
      hint={t('filter.searchHint')}
      value={text}
      onChange={setText}
      className="max-md:basis-full md:flex-[1_0_190px]"
    />
  )
}

type SelectProps = Pick<FiltersProps, 'search' | 'range' | 'onChange'>

function ServiceSelect({ search, range, onChange }: SelectProps) {
  const known = (useBatch(range).data?.services ?? []).map(({ service }) => service)
  const chosen = search.service
  const services = chosen === undefined || known.includes(chosen) ? known : [chosen, ...known]
  return (
    <select
      className="control w-[150px]"
      aria-label={t('filter.service')}
      value={chosen ?? ''}
      onChange={({ target }) => onChange({ service: target.value || undefined })}
    >
      <option value="">{t('filter.serviceAll')}</option>
      {services.map((service) => (
        <option key={service} value={service}>
          {serviceName(service)}
        </option>
      ))}
    </select>
  )
}

function ClientSelect({ search, range, onChange }: SelectProps) {
  const names = useClientNames()
  const ofAccounts = useClients(range).data
  const ofBatch = useBatch(range).data?.clients
  const rows = ofAccounts ?? ofBatch ?? []
  // A group's row covers several addresses; the filter takes one.
  const options = rows.flatMap((client) =>
    (client.groupMemberIps ?? [client.clientIp]).map((ip) => ({
      ip,
      name: clientName(ip, client.displayName, names),
    })),
  )
  const chosen = search.client
  const isListed = chosen === undefined || options.some(({ ip }) => ip === chosen)
  return (
    <select
      className="control w-[150px]"
      aria-label={t('filter.client')}
      value={chosen ?? ''}
      onChange={({ target }) => onChange({ client: target.value || undefined })}
    >
      <option value="">{t('filter.clientAll')}</option>
      {!isListed && <option value={chosen}>{chosen}</option>}
      {options.map(({ ip, name }) => (
        <option key={ip} value={ip}>
          {name === ip ? ip : `${name} · ${ip}`}
        </option>
      ))}
    </select>
  )
}
