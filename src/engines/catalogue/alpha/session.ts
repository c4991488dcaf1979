import type AlphaUser from 'steam-user'
import {
  createAlphaConnection,
  library,
  type ConnectionParts,
} from '../../alpha-connection/connection.ts'
import { appFacts } from './product-info.ts'
import type { AppFacts } from '../store.ts'

/** Product information comes in many messages; other requests are answered with one. */
const productInfoMs = 10 * 60_000
const changesMs = 5 * 60_000

export interface Changes {
  current: number
  appIds: number[]
  /** Steam no longer knows what changed since then. */
  fullNeeded: boolean
}

/** Steam's product information. The first request connects; call one at a time. */
export interface AlphaSession {
  products: (appIds: number[]) => Promise<AppFacts[]>
  /** Apps that changed since a change number; 0 returns the current number only. */
  changesSince: (changeNumber: number) => Promise<Changes>
  close(): Promise<void>
}

const numbers = (value: unknown): number[] =>
  (Array.isArray(value) ? value : [])
    .map((entry) => Number((entry as { appid?: unknown }).appid))
    .filter((id) => Number.isSafeInteger(id) && id > 0)

export function createAlphaSession(parts: ConnectionParts): AlphaSession {
  const connection = createAlphaConnection(parts)
  return {
    products: (appIds) =>
      connection.ask(productInfoMs, async (user) => {
        const { apps } = await user.getProductInfo(appIds, [], true)
        return Object.entries(apps).map(([id, { appinfo }]) => appFacts(Number(id), appinfo))
      }),
    changesSince: (changeNumber) =>
      connection.ask(changesMs, (user) => changes(user, changeNumber)),
    close: () => connection.close(),
  }
}

async function changes(user: AlphaUser, since: number): Promise<Changes> {
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
    fullNeeded: body.force_full_update === true || body.force_full_app_update === true,
  }
}
