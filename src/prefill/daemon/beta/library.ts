import pLimit from 'p-limit'
import type { BetaAsset, BetaWeb } from '../../../engines/beta-connection/web.ts'
import type { OwnedGame } from '../../protocol/apps.ts'
import type { BetaSession } from './session.ts'
import { createTitles, nameless } from './titles.ts'

/** Namespaces of what is no game: the Unreal Engine and its samples. */
const otherNamespaces = new Set(['ue', '89efe5924d3d467c839449ab6ab52e7f'])
/** A run asks for every game; the list is asked for again after this. */
const freshMs = 60_000
/** Each name is a request; after this the next listing goes on. A manager waits ten minutes. */
const namingMs = 5 * 60_000
const namesAtOnce = 4

type Assets = ReadonlyMap<string, BetaAsset>

/** What the account owns, by id. */
function createAssets(web: BetaWeb, session: BetaSession) {
  const turn = pLimit(1)
  let known: { accountId: string; untilMs: number; assets: Assets } | null = null

  async function listed(signal: AbortSignal): Promise<Assets> {
    const accountId = session.accountId()
    if (known?.accountId === accountId && known.untilMs > performance.now()) return known.assets
    const { rows } = await session.authorized((token) => web.assets(token, null, signal))
    const games = (rows ?? []).filter(({ namespace }) => !otherNamespaces.has(namespace))
    const assets = new Map(games.map((asset) => [asset.appName, asset]))
    const untilMs = performance.now() + freshMs
    known = accountId === null ? null : { accountId, untilMs, assets }
    return assets
  }
  return (signal: AbortSignal) => turn(() => listed(signal))
}

/** The games of the account; names are kept in a file. */
export function createLibrary(web: BetaWeb, session: BetaSession, titlesPath: string) {
  const titles = createTitles(web, session, titlesPath)
  const assets = createAssets(web, session)
  return {
    async ids(signal: AbortSignal): Promise<string[]> {
      return [...(await assets(signal)).keys()]
    },
    /** Rejects for an app that the account does not own. */
    async asset(appId: string, signal: AbortSignal): Promise<BetaAsset> {
      const asset = (await assets(signal)).get(appId)
      if (asset !== undefined) return asset
      throw new Error(`this account has no game ${JSON.stringify(appId.slice(0, 200))}`)
    },
    async nameOf(asset: BetaAsset, signal: AbortSignal): Promise<string> {
      const title = titles.known(asset) ?? (await titles.ask(asset, signal)) ?? nameless(asset)
      titles.save()
      return title.name
    },
    async games(signal: AbortSignal): Promise<OwnedGame[]> {
      const untilMs = performance.now() + namingMs
      let isAsking = true
      const turn = pLimit(namesAtOnce)
      async function gameOf(asset: BetaAsset): Promise<OwnedGame> {
        const title = titles.known(asset) ?? (isAsking ? await titles.ask(asset, signal) : null)
        if (title === null || performance.now() > untilMs) isAsking = false
        const { name, imageUrl } = title ?? nameless(asset)
        return { appId: asset.appName, name, imageUrl, minutesPlayedLast2Weeks: 0 }
      }
      const owned = [...(await assets(signal)).values()]
      try {
        return await Promise.all(owned.map((asset) => turn(gameOf, asset)))
      } finally {
        titles.save()
      }
    },
    /** Ids of the games that were played, the longest played first. */
    async played(signal: AbortSignal): Promise<string[]> {
      const owned = await assets(signal)
      const accountId = session.accountId()
      if (accountId === null) throw new Error('Epic Games does not say which account this is')
      const seconds = await session.authorized((token) => web.playtime(token, accountId, signal))
      const playedFor = (appId: string) => seconds.get(appId) ?? 0
      return [...owned.keys()]
        .filter((appId) => playedFor(appId) > 0)
        .sort((one, other) => playedFor(other) - playedFor(one))
    },
  }
}
