import type { PrefillDefaults } from '../../../access/defaults/model.ts'
import { api, unwrap, keys } from '../../api/client.ts'
import { useRead } from '../../api/queries.ts'
import { useSave } from '../../app/use-save.ts'
import { Card } from '../../components/card.tsx'
import { Setting } from '../../components/setting.tsx'
import { t } from '../../locales/translate.ts'
import { Connections } from './connections.tsx'
import { Systems, systems, type System } from './session/systems.tsx'

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
