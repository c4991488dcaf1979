import { SlidersHorizontal, X } from 'lucide-react'
import { useEffect, useRef, useState, type ReactNode } from 'react'
import { useBatch, useClients, useClientNames } from '../../api/queries.ts'
import { useDownloadsSearch, useRange } from '../../app/use-address.ts'
import type { DownloadsSearch } from '../../app/search-state.ts'
import { Popover } from '../popover.tsx'
import { SearchField, Switch, Button, optionsOf, Choice } from '../form-controls.tsx'
import { clientName, serviceName } from '../../format/services.ts'
import { t, type Key } from '../../locales/translate.ts'

interface FiltersProps {
  /** A client's page does not offer the client filter. */
  hides: readonly ('client' | 'group' | 'service')[]
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
export function Filters({ hides, children }: FiltersProps) {
  const { search, change } = useDownloadsSearch()
  return (
    <div role="search" aria-label={t('filter.label')} className="flex min-w-0 flex-wrap gap-2">
      <SearchBox />
      <div className="flex min-w-0 gap-2 max-md:w-full max-md:overflow-x-auto max-md:pb-1 md:flex-wrap">
        {!hides.includes('service') && <ServiceSelect />}
        {!hides.includes('client') && <ClientSelect />}
        <Choice
          label={t('filter.hits')}
          value={search.hits}
          options={[
            { value: undefined, label: t('filter.hitsAll') },
            { value: 'hit', label: t('filter.hitsHit') },
            { value: 'miss', label: t('filter.hitsMiss') },
          ]}
          onChange={(hits) => change({ hits })}
        />
        {!hides.includes('group') && (
          <Choice
            label={t('filter.group')}
            value={search.group}
            options={[
              { value: undefined, label: t('filter.groupNone') },
              { value: 'game', label: t('filter.groupGame') },
              { value: 'service', label: t('filter.groupService') },
            ]}
            onChange={(group) => change({ group })}
          />
        )}
        <MoreFilters />
        {isFiltered(search) && (
          <Button className="text-dim" onClick={() => change(noFilters)}>
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
function MoreFilters() {
  const { search, change } = useDownloadsSearch()
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
                onChange={(isOn) => change({ [name]: isOn ? valueOf[name] : undefined })}
              />
            </div>
          ))}
        </div>
      )}
    </Popover>
  )
}

const valueOf = { unknown: 'hide', local: 'hide', empty: 'hide', prefill: 'show' } as const

const typingPauseMs = 300

function SearchBox() {
  const { search, change } = useDownloadsSearch()
  const { search: value = '' } = search
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
      change({ search: wanted === '' ? undefined : wanted })
    }, typingPauseMs)
    return () => clearTimeout(timer)
  }, [text, change])
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

function ServiceSelect() {
  const { search, change } = useDownloadsSearch()
  const known = (useBatch(useRange()).data?.services ?? []).map(({ service }) => service)
  const chosen = search.service
  const services = chosen === undefined || known.includes(chosen) ? known : [chosen, ...known]
  return (
    <Choice
      className="w-[150px]"
      label={t('filter.service')}
      value={chosen}
      options={[
        { value: undefined, label: t('filter.serviceAll') },
        ...optionsOf(services, serviceName),
      ]}
      onChange={(service) => change({ service })}
    />
  )
}

function ClientSelect() {
  const { search, change } = useDownloadsSearch()
  const range = useRange()
  const names = useClientNames()
  const ofAccounts = useClients(range).data
  const ofBatch = useBatch(range).data?.clients
  const rows = ofAccounts ?? ofBatch ?? []
  // A group's row covers several addresses; the filter takes one.
  const options = rows.flatMap((client) =>
    optionsOf(client.groupMemberIps ?? [client.clientIp], (ip) => {
      const name = clientName(ip, client.displayName, names)
      return name === ip ? ip : `${name} · ${ip}`
    }),
  )
  return (
    <Choice
      className="w-[150px]"
      label={t('filter.client')}
      value={search.client}
      options={[{ value: undefined, label: t('filter.clientAll') }, ...options]}
      onChange={(client) => change({ client })}
    />
  )
}
