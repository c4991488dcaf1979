import type { AppFacts } from '../store.ts'

type Tree = Record<string, unknown>

const idMax = 4_294_967_295

const tree = (value: unknown): Tree =>
  typeof value === 'object' && value !== null ? (value as Tree) : {}

const idOf = (value: unknown): number => {
  const id = typeof value === 'string' && /^\d{1,10}$/.test(value) ? Number(value) : 0
  return id <= idMax ? id : 0
}

const name = (value: unknown): string | null =>
  typeof value === 'string' && value.trim() !== '' ? value.trim().slice(0, 500) : null

/**
 * The facts of one app's key-values: `common.name`, `common.parent` (DLC: `extended.dlcforappid`),
 * `common.listofdlc` (older apps: `extended.listofdlc`), and the numeric members of `depots`; the
 * owner of a depot is its `depotfromapp`, or else the app itself.
 */
export function appFacts(appId: number, appinfo: unknown): AppFacts {
  const { common, extended, depots } = tree(appinfo)
  const list = tree(common).listofdlc ?? tree(extended).listofdlc
  const dlcIds = (typeof list === 'string' ? list.split(',') : []).map((id) => idOf(id.trim()))
  return {
    appId,
    name: name(tree(common).name),
    parentId: idOf(tree(common).parent) || idOf(tree(extended).dlcforappid) || null,
    dlcIds: dlcIds.filter((id) => id > 0),
    depots: Object.entries(tree(depots)).flatMap(([key, value]) => {
      const depotId = idOf(key)
      if (depotId === 0) return []
      const { depotfromapp, name: depotName } = tree(value)
      return [{ depotId, ownerId: idOf(depotfromapp) || appId, name: name(depotName) }]
    }),
  }
}
