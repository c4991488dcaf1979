import { serverAddress, type ServerAddress } from '../../core/lib/cache-network.ts'
import { parseAppIds, parseCachedDepots, type CachedDepot } from '../protocol/apps.ts'
import type { RunRequest } from './run-apps.ts'

type Parameters = Readonly<Record<string, string>>

/** The request cannot be carried out; the text is the answer. */
export class CommandError extends Error {}

/** Longest name of a run or a schedule. */
const nameCharsMax = 100

const isTrue = (text: string | undefined): boolean => text?.trim().toLowerCase() === 'true'

/** A whole number above zero; null for anything else, as published images ignore it. */
const positive = (text: string | undefined): number | null =>
  text !== undefined && /^[1-9]\d{0,8}$/.test(text.trim()) ? Number(text) : null

/** The parameter `os`: a comma list. */
export const systemsOf = ({ os }: Parameters): string[] =>
  (os ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')

export const depotsOf = ({ cachedDepots }: Parameters): CachedDepot[] =>
  cachedDepots === undefined ? [] : parseCachedDepots(cachedDepots)

/** Depots as versions, by app. */
export function knownVersions(depots: readonly CachedDepot[]): Map<string, string[]> {
  const known = new Map<string, string[]>()
  for (const { appId, depotId, manifestId } of depots) {
    const versions = known.get(appId)
    if (versions === undefined) known.set(appId, [`${depotId}:${manifestId}`])
    else versions.push(`${depotId}:${manifestId}`)
  }
  return known
}

/** The parameter `cache`: another cache than the usual one. Throws CommandError. */
export function cacheOf({ cache }: Parameters): ServerAddress | null {
  const address = cache === undefined || cache === '' ? null : serverAddress(cache)
  if (cache && address === null) throw new CommandError('cache: is no address')
  return address
}

/** The parameters of `prefill`. Throws MessageError for lists that are not lists, and CommandError. */
export function readRunRequest(parameters: Parameters): RunRequest {
  const { products, productIds, top } = parameters
  const nameOf = (text: string | undefined) => text?.slice(0, nameCharsMax) ?? null
  const ids = products ?? productIds
  return {
    names: {
      run: nameOf(parameters['run']),
      scheduleId: nameOf(parameters['scheduleId']),
      scheduleName: nameOf(parameters['scheduleName']),
    },
    appIds: ids === undefined ? null : parseAppIds(ids),
    filter: {
      all: isTrue(parameters['all']),
      recent: isTrue(parameters['recent']),
      recentlyPurchased: isTrue(parameters['recently_purchased']),
      top: isTrue(top) ? Infinity : positive(top),
    },
    force: isTrue(parameters['force']),
    systems: systemsOf(parameters),
    parallel: positive(parameters['maxConcurrency']),
    known: knownVersions(depotsOf(parameters)),
    cache: cacheOf(parameters),
  }
}
