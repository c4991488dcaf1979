import type { Phrase } from '../../core/lib/phrases.ts'
import type { Rule, Selection, StoredGame, Verdict, CacheState } from './rule.ts'
import { skipReason } from './skip-reasons.ts'
import { sizeText } from '../../core/lib/size.ts'

const daySeconds = 86_400

/** Games that must stay, or are leaving anyway. */
export interface Protection {
  pinned: ReadonlySet<string>
  /** Taken off the list for this rule. */
  spared: ReadonlySet<string>
  /** Already listed or chosen: their bytes count as gone. */
  leaving: ReadonlySet<string>
}

const dayText = (seconds: number): string => {
  const days = Math.floor(seconds / daySeconds)
  return `${days} ${days === 1 ? 'day' : 'days'}`
}

/** Longest unused first; ties by key, for a deterministic order. */
export const byUse = (a: StoredGame, b: StoredGame): number =>
  a.lastUsedAt - b.lastUsedAt || (a.key < b.key ? -1 : 1)

/** The rule's games: a rule for one datasource excludes games that others store too. */
function gamesOf(rule: Rule, { games, silent }: CacheState): StoredGame[] {
  const datasource = rule.datasource?.toLowerCase() ?? null
  return games.filter((game) => {
    if (game.files === 0 || game.datasources.some((name) => name in silent)) return false
    if (rule.service !== null && game.service.toLowerCase() !== rule.service) return false
    if (rule.gameKey !== null && game.key !== rule.gameKey) return false
    return (
      datasource === null || game.datasources.every((name) => name.toLowerCase() === datasource)
    )
  })
}

function stateOf({ key }: StoredGame, protection: Protection): Verdict['state'] {
  if (protection.pinned.has(key)) return 'pinned'
  if (protection.spared.has(key)) return 'spared'
  return protection.leaving.has(key) ? 'pending' : 'leaves'
}

/** Takes the longest unused until enough bytes are gone; games that stay do not count. */
function untilFreed(
  games: StoredGame[],
  protection: Protection,
  { over, bytesOf, why }: Freeing,
): Verdict[] {
  let left = over
  for (const game of games) if (stateOf(game, protection) === 'pending') left -= bytesOf(game)
  const verdicts: Verdict[] = []
  for (const game of games) {
    const state = stateOf(game, protection)
    if (state === 'pending') verdicts.push({ game, state, why })
    else if (left > 0) {
      verdicts.push({ game, state, why })
      if (state === 'leaves') left -= bytesOf(game)
    }
  }
  return over > 0 ? verdicts : []
}

interface Freeing {
  over: number
  bytesOf: (game: StoredGame) => number
  why: string
}

/** For conditions that depend on the single game; null when it does not match. */
function reasonOf(rule: Rule, game: StoredGame, nowS: number): string | null {
  const limit = (rule.days ?? 0) * daySeconds
  if (rule.condition === 'storedLongerThan') {
    const age = nowS - game.lastStoredAt
    return age > limit ? `nothing of it was stored for ${dayText(age)}` : null
  }
  if (rule.condition === 'unusedFor') {
    const age = nowS - game.lastUsedAt
    return age > limit ? `not used for ${dayText(age)}` : null
  }
  if (rule.condition === 'gameLargerThan') {
    const isLarge = game.bytes > (rule.bytes ?? 0)
    return isLarge ? `larger than ${sizeText(rule.bytes ?? 0)}: ${sizeText(game.bytes)}` : null
  }
  return null
}

function serviceVerdicts(rule: Rule, cache: CacheState, protection: Protection): Verdict[] {
  const total = cache.serviceBytes[rule.service ?? ''] ?? 0
  const limit = rule.bytes ?? 0
  const why = `${rule.service} takes ${sizeText(total)}, more than ${sizeText(limit)}`
  const games = gamesOf(rule, cache).toSorted(byUse)
  return untilFreed(games, protection, { over: total - limit, bytesOf: ({ bytes }) => bytes, why })
}

function diskVerdicts(rule: Rule, cache: CacheState, protection: Protection): Verdict[] {
  const limit = rule.bytes ?? 0
  const games = gamesOf(rule, cache).toSorted(byUse)
  const wanted = rule.datasource?.toLowerCase()
  const verdicts = new Map<string, Verdict>()
  for (const { name, datasources, freeBytes } of cache.disks) {
    const appliesTo =
      wanted === undefined || datasources.some((one) => one.toLowerCase() === wanted)
    if (!appliesTo || freeBytes === null) continue
    const bytesOf = ({ bytesOn }: StoredGame) =>
      datasources.reduce((sum, one) => sum + (bytesOn[one] ?? 0), 0)
    const why = `${name} has ${sizeText(freeBytes)} free, less than ${sizeText(limit)}`
    const own = games.filter((game) => bytesOf(game) > 0)
    const chosen = [...verdicts.values()].filter(({ state }) => state === 'leaves')
    const leaving = new Set([...protection.leaving, ...chosen.map(({ game }) => game.key)])
    const found = untilFreed(
      own,
      { ...protection, leaving },
      { over: limit - freeBytes, bytesOf, why },
    )
    for (const verdict of found) {
      if (!verdicts.has(verdict.game.key)) verdicts.set(verdict.game.key, verdict)
    }
  }
  return [...verdicts.values()]
}

/** Why no verdict is possible; null when the rule can be evaluated. */
function abstainsFor(rule: Rule, cache: CacheState): Phrase | null {
  const wanted = rule.datasource?.toLowerCase()
  const silent = Object.entries(cache.silent)
  const own = silent.find(([one]) => one.toLowerCase() === wanted)
  if (own !== undefined) return own[1]
  // A service's or disk's total cannot be computed from a part of it.
  const isTotal = rule.condition === 'serviceAbove' || rule.condition === 'diskBelow'
  const [first] = silent
  if (isTotal && wanted === undefined && first !== undefined) return first[1]
  if (rule.condition !== 'diskBelow') return null
  const disk = cache.disks.find(
    ({ datasources, freeBytes }) =>
      freeBytes === null &&
      (wanted === undefined || datasources.some((one) => one.toLowerCase() === wanted)),
  )
  return disk === undefined ? null : skipReason('freeUnknown', { disk: disk.name })
}

/** A rule's current selection, longest unused first. Changes nothing. */
export function select(rule: Rule, cache: CacheState, protection: Protection): Selection {
  const reason = abstainsFor(rule, cache)
  if (reason !== null) return { rule, abstains: reason, verdicts: [] }
  if (rule.condition === 'serviceAbove') {
    return { rule, abstains: null, verdicts: serviceVerdicts(rule, cache, protection) }
  }
  if (rule.condition === 'diskBelow') {
    return { rule, abstains: null, verdicts: diskVerdicts(rule, cache, protection) }
  }
  const verdicts = gamesOf(rule, cache)
    .toSorted(byUse)
    .flatMap((game): Verdict[] => {
      const why = reasonOf(rule, game, cache.nowS)
      return why === null ? [] : [{ game, why, state: stateOf(game, protection) }]
    })
  return { rule, abstains: null, verdicts }
}
