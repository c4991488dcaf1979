import type { PrefillDefaults } from '../../../access/defaults/model.ts'
import { api, unwrap, keys } from '../../api/client.ts'
import { useRead } from '../../api/queries.ts'
import { useSave } from '../../app/use-save.ts'
import { Card, Row } from '../../components/card.tsx'
import { Setting } from '../../components/setting-controls.tsx'
import { t } from '../../locales/translate.ts'
import { Choice, optionsOf, Tick } from '../../components/form-controls.tsx'
import { usePrefillCaches } from '../../api/prefill-schedules.ts'

export const systems = ['windows', 'linux', 'macos'] as const
export type System = (typeof systems)[number]

const names: Readonly<Record<System, string>> = {
  windows: 'Windows',
  linux: 'Linux',
  macos: 'macOS',
}

interface SystemsProps {
  value: readonly System[]
  disabled?: boolean
  /** The last one cannot be taken away. */
  isNeeded?: boolean
  onChange: (value: readonly System[]) => void
}

/** The operating systems whose versions of games are prefilled. */
export const Systems = ({ value, disabled = false, isNeeded, onChange }: SystemsProps) =>
  systems.map((system) => (
    <span key={system} className="flex items-center gap-2 pl-2.5">
      <Tick
        label={names[system]}
        disabled={disabled || (isNeeded === true && value.length === 1 && value[0] === system)}
        state={value.includes(system)}
        onToggle={() => onChange(systems.filter((one) => (one === system) !== value.includes(one)))}
      />
      {names[system]}
    </span>
  ))

const route = api.system['prefill-defaults']

interface Defaults {
  operatingSystems: readonly System[]
  /** Null: the daemon chooses. */
  connections: number | null
}

/** The answer in the form's words: `max` is as many as the session may have. */
export function defaultsOf(answer: PrefillDefaults): Defaults {
  const { operatingSystems, maxConcurrency, serverThreadCount, maxThreadLimit } = answer
  const count = maxConcurrency === 'max' ? (maxThreadLimit ?? serverThreadCount) : maxConcurrency
  return {
    operatingSystems: systems.filter((system) => operatingSystems.includes(system)),
    connections: count === 'auto' ? null : Number(count),
  }
}

/** What a new run begins with; undefined until it is known. */
export const usePrefillDefaults = (): Defaults | undefined =>
  useRead([...keys.prefill, 'defaults'], route.get, { select: defaultsOf }).data

/** Chooses what new runs begin with. */
export function DefaultsCard() {
  const held = usePrefillDefaults()
  const { change, isBusy } = useSave({ stale: [keys.prefill] })
  if (held === undefined) return null
  const { operatingSystems, connections } = held
  const setSystems = (next: readonly System[]) =>
    unwrap(route.patch({ operatingSystems: [...next] }))
  const setConnections = (next: number | null) =>
    unwrap(route.patch({ maxConcurrency: next === null ? 'auto' : String(next) }))
  const isEvery = operatingSystems.length === systems.length
  return (
    <Card title={t('prefill.defaults')} note={t('prefill.defaultsNote')} className="mt-3.5">
      <Setting id="prefill.newSystems" {...(isEvery && { value: t('controls.allSystems') })}>
        <Systems
          value={operatingSystems}
          // The service takes none for all.
          isNeeded
          disabled={isBusy}
          onChange={(next) => change(setSystems, [next, operatingSystems])}
        />
      </Setting>
      <Setting
        id="prefill.newConnections"
        {...(connections === null && { value: t('prefill.automatic') })}
      >
        <Connections
          value={connections}
          disabled={isBusy}
          onChange={(next) => change(setConnections, [next, connections])}
        />
      </Setting>
    </Card>
  )
}

const counts = [1, 2, 4, 8, 16, 32, 64, 128, 256]

interface ConnectionsProps {
  /** Null: the daemon chooses. */
  value: number | null
  disabled?: boolean
  onChange: (value: number | null) => void
}

/** How many connections a run may use at the same time. */
export const Connections = ({ value, disabled = false, onChange }: ConnectionsProps) => (
  <Choice
    value={value}
    disabled={disabled}
    options={[{ value: null, label: t('prefill.automatic') }, ...optionsOf(counts, String)]}
    onChange={onChange}
  />
)

interface CacheChoiceProps {
  /** Null: the cache of the service. */
  value: string | null
  onChange: (value: string | null) => void
}

/** Which cache is filled; nothing while no node has one. */
export function CacheChoice({ value, onChange }: CacheChoiceProps) {
  const nodes = usePrefillCaches().data ?? []
  if (nodes.length === 0 && value === null) return null
  const own = { value: null, label: t('prefill.cacheOwn') }
  return (
    <Row title={t('prefill.cache')} note={t('prefill.cacheNote')}>
      <Choice
        label={t('prefill.cache')}
        value={value}
        options={[own, ...optionsOf(nodes, String)]}
        onChange={onChange}
      />
    </Row>
  )
}
