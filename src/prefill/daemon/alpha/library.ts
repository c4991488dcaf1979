import { Type } from '@sinclair/typebox'
import type { Outside } from '../../../core/lib/outside.ts'
import { askJson } from '../../../core/lib/outside-json.ts'
import type { AppFilter } from '../engine.ts'
import type { AppInfo } from './app-info.ts'
import type { AlphaClient } from './client.ts'
import { readOwnership, type Ownership } from './ownership.ts'

const chartMs = 15_000
/** What the account owns is read again after this. */
const libraryMs = 10 * 60_000
const purchasedDays = 30

const Chart = Type.Object({
  response: Type.Object({ ranks: Type.Array(Type.Object({ appid: Type.Number() })) }),
})

interface Reading {
  atMs: number
  ownership: Promise<Ownership>
  games: Promise<AppInfo[]> | null
}

export interface LibraryParts {
  client: () => AlphaClient
  outside: Outside
  webApiBaseUrl: string
}

const byName = (one: AppInfo, other: AppInfo) => one.name.localeCompare(other.name)

/** What the signed-in account has, kept for some minutes. */
export function createLibrary({ client, outside, webApiBaseUrl }: LibraryParts) {
  let reading: Reading | null = null
  const forget = () => void (reading = null)

  /** A promise that failed is not kept. */
  function kept<T>(work: Promise<T>): Promise<T> {
    work.catch(forget)
    return work
  }

  function current(signal: AbortSignal): Reading {
    if (reading !== null && performance.now() - reading.atMs < libraryMs) return reading
    const ownership = kept(readOwnership(client(), signal))
    return (reading = { atMs: performance.now(), ownership, games: null })
  }

  async function readGames(ownership: Promise<Ownership>, signal: AbortSignal) {
    const apps = await client().apps([...(await ownership).apps], signal)
    return [...apps.values()].filter(({ isGame }) => isGame).sort(byName)
  }

  function games(signal: AbortSignal): Promise<AppInfo[]> {
    const now = current(signal)
    return (now.games ??= kept(readGames(now.ownership, signal)))
  }

  async function mostPlayed(count: number, signal: AbortSignal): Promise<number[]> {
    const url = `${webApiBaseUrl}/ISteamChartsService/GetMostPlayedGames/v1/`
    const { value } = await askJson(outside, { url, timeoutMs: chartMs, signal }, Chart)
    return (value?.response.ranks ?? []).map(({ appid }) => appid).slice(0, count)
  }

  async function wanted(filter: AppFilter, signal: AbortSignal): Promise<Set<number>> {
    const { boughtAt } = await current(signal).ownership
    const since = Date.now() / 1000 - purchasedDays * 86_400
    const bought = [...boughtAt].filter(([, at]) => at >= since).map(([id]) => id)
    return new Set([
      ...(filter.recentlyPurchased ? bought : []),
      ...(filter.recent ? (await client().recentMinutes(signal)).keys() : []),
      ...(filter.top === null ? [] : await mostPlayed(filter.top, signal)),
    ])
  }

  return {
    ownership: (signal: AbortSignal) => current(signal).ownership,
    /** Games that Windows can run, by name. */
    games,
    async choose(filter: AppFilter, signal: AbortSignal) {
      const all = await games(signal)
      if (filter.all) return all
      const ids = await wanted(filter, signal)
      return all.filter(({ appId }) => ids.has(appId))
    },
    /** The account is another one now. */
    forget,
  }
}
