import { idOf, idsOf, tree } from '../../alpha-connection/key-values.ts'
import type { AppFacts } from '../store.ts'

const name = (value: unknown): string | null =>
  typeof value === 'string' && value.trim() !== '' ? value.trim().slice(0, 500) : null

/**
 * The facts of one app's key-values: `common.name`, `common.parent` (DLC: `extended.dlcforappid`),
 * `common.listofdlc` (older apps: `extended.listofdlc`), and the numeric members of `depots`; the
 * owner of a depot is its `depotfromapp`, or else the app itself.
 */
export function appFacts(appId: number, appinfo: unknown): AppFacts {
  const { common, extended, depots } = tree(appinfo)
  return {
    appId,
    name: name(tree(common).name),
    parentId: idOf(tree(common).parent) || idOf(tree(extended).dlcforappid) || null,
    dlcIds: idsOf(tree(common).listofdlc ?? tree(extended).listofdlc),
    depots: Object.entries(tree(depots)).flatMap(([key, value]) => {
      const depotId = idOf(key)
      if (depotId === 0) return []
      const { depotfromapp, name: depotName } = tree(value)
      return [{ depotId, ownerId: idOf(depotfromapp) || appId, name: name(depotName) }]
    }),
  }
}
