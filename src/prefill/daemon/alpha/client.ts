import { inSlices } from '../../../core/lib/in-slices.ts'
import type AlphaUser from 'steam-user'
import { readAppInfo, type AppInfo } from './app-info.ts'
import { createTurns, type TurnParts } from './turns.ts'

/** One answer may come in many messages. */
const requestMs = 5 * 60_000
/** Steam sends the licenses right after the log-on. */
const licensesMs = 60_000
const idsPerRequest = 200
/**
 * The library reads key-values character by character and leaves an object behind for each. The heap
 * would grow by 30 MB before the runtime collects them.
 */
const appsPerCollection = 100
/** `EResult.OK`. */
const resultOk = 1

/** A depot cannot be downloaded; others may be. */
export class DepotUnavailable extends Error {}

export interface ManifestName {
  /** The app in whose name the depot's manifest is given out. */
  appId: number
  depotId: number
  manifestId: string
}

const licensesOf = (user: AlphaUser): Promise<AlphaUser.License[]> => {
  if (user.licenses) return Promise.resolve(user.licenses)
  const { promise, resolve } = Promise.withResolvers<AlphaUser.License[]>()
  user.once('licenses', resolve)
  return promise
}

/** A call of one of Steam's services: its answer, and the number of its result. */
function call(user: AlphaUser, method: string, body: object) {
  const { promise, resolve } = Promise.withResolvers<{ result: number; body: object }>()
  user._sendUnified(method, body, (answer, { proto }) =>
    resolve({ result: proto.eresult, body: answer }),
  )
  return promise
}

export function createAlphaClient(parts: TurnParts) {
  const turns = createTurns(parts)
  let uncollected = 0
  const ask = <T>(signal: AbortSignal, request: (user: AlphaUser) => Promise<T>) =>
    turns.ask(signal, request, requestMs)

  return {
    licenses: (signal: AbortSignal) => turns.ask(signal, licensesOf, licensesMs),
    /** Key-values of packages, as far as Steam gives them out. */
    async packages(ids: readonly number[], signal: AbortSignal) {
      const found: unknown[] = []
      for (const some of inSlices(ids, idsPerRequest)) {
        const { packages } = await ask(signal, (user) => user.getProductInfo([], some, true))
        found.push(...Object.values(packages).map(({ packageinfo }) => packageinfo))
      }
      return found
    },
    /** Apps by id. Their key-values are larger than what is read of them, and are not kept. */
    async apps(ids: readonly number[], signal: AbortSignal) {
      const found = new Map<number, AppInfo>()
      for (const some of inSlices(ids, idsPerRequest)) {
        const { apps } = await ask(signal, (user) => user.getProductInfo(some, [], true))
        for (const [text, { appinfo }] of Object.entries(apps)) {
          const id = Number(text)
          found.set(id, readAppInfo(id, appinfo))
        }
        uncollected += some.length
        if (uncollected < appsPerCollection) continue
        uncollected = 0
        Bun.gc(true)
      }
      return found
    },
    /** Minutes played in the last two weeks, by app; apps that were not played are missing. */
    async recentMinutes(signal: AbortSignal) {
      const { body } = await ask(signal, (user) =>
        call(user, 'Player.GetOwnedGames#1', {
          steamid: user.steamID?.getSteamID64(),
          include_played_free_games: true,
          include_free_sub: true,
          skip_unvetted_apps: false,
        }),
      )
      const games = 'games' in body && Array.isArray(body.games) ? (body.games as object[]) : []
      return new Map(
        games.flatMap((game) => {
          const { appid, playtime_2weeks: minutes } = game as Record<string, unknown>
          return typeof minutes === 'number' && minutes > 0 ? [[Number(appid), minutes]] : []
        }),
      )
    },
    /** Steam's region of the account's connection; 0: any. */
    cellId: (signal: AbortSignal) => ask(signal, (user) => Promise.resolve(user.cellID ?? 0)),
    /**
     * The number that is needed to download a manifest, good for minutes. Rejects with DepotUnavailable
     * when Steam refuses it.
     */
    async manifestCode({ appId, depotId, manifestId }: ManifestName, signal: AbortSignal) {
      const { result, body } = await ask(signal, (user) =>
        call(user, 'ContentServerDirectory.GetManifestRequestCode#1', {
          app_id: appId,
          depot_id: depotId,
          manifest_id: manifestId,
          app_branch: 'public',
        }),
      )
      const code = 'manifest_request_code' in body ? String(body.manifest_request_code) : '0'
      if (result === resultOk && /^[1-9]\d{0,19}$/.test(code)) return code
      throw new DepotUnavailable(`Steam refuses the manifest of depot ${depotId}`)
    },
    close: () => turns.close(),
  }
}
export type AlphaClient = ReturnType<typeof createAlphaClient>
