import type AlphaUser from 'steam-user'
import {
  createAlphaConnection,
  library,
  type ConnectionParts,
} from '../../alpha-connection/connection.ts'
import type { AppFacts } from '../store.ts'
import { idOf, idsOf, tree } from '../../alpha-connection/key-values.ts'

const name = (value: unknown): string | null =>
  typeof value === 'string' && value.trim() !== '' ? value.trim().slice(0, 500) : null

/**
 * The facts of one app's key-values: `common.name`, `common.parent` (DLC: `extended.dlcforappid`),
 * `common.listofdlc` (older apps: `extended.listofdlc`), and the numeric members of `depots`; the
 * owner of a depot is its `depotfromapp`, or else the app itself.
 */
function appFacts(appId: number, appinfo: unknown): AppFacts {
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

/** Product information comes in many messages; other requests are answered with one. */
const productInfoMs = 10 * 60_000
const changesMs = 5 * 60_000

const numbers = (value: unknown): number[] =>
  (Array.isArray(value) ? value : [])
    .map((entry) => Number((entry as { appid?: unknown }).appid))
    .filter((id) => Number.isSafeInteger(id) && id > 0)

export function createAlphaSession(parts: ConnectionParts) {
  const connection = createAlphaConnection(parts)
  return {
    products: (appIds: number[]) =>
      connection.ask(productInfoMs, async (user) => {
        const { apps } = await user.getProductInfo(appIds, [], true)
        return Object.entries(apps).map(([id, { appinfo }]) => appFacts(Number(id), appinfo))
      }),
    /** Apps that changed since a change number; 0 returns the current number only. */
    changesSince: (changeNumber: number) =>
      connection.ask(changesMs, (user) => changes(user, changeNumber)),
    close: () => connection.close(),
  }
}
/** Steam's product information. The first request connects; call one at a time. */
export type AlphaSession = ReturnType<typeof createAlphaSession>

async function changes(user: AlphaUser, since: number) {
  const { EMsg } = await library()
  const { promise, resolve } = Promise.withResolvers<Record<string, unknown>>()
  const request = {
    since_change_number: since,
    send_app_info_changes: true,
    send_package_info_changes: false,
  }
  user._send(EMsg.ClientPICSChangesSinceRequest, request, resolve)
  const body = await promise
  return {
    current: Number(body.current_change_number ?? 0),
    appIds: numbers(body.app_changes),
    /** Steam no longer knows what changed since then. */
    fullNeeded: body.force_full_update === true || body.force_full_app_update === true,
  }
}
