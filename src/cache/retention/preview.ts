import type { CacheParts } from '../parts.ts'
import type { Selection, Rule, CacheState } from './rule.ts'
import { select } from './select.ts'
import type { RetentionStore } from './store.ts'
import { readCacheState } from './cache-state.ts'

/**
 * Evaluates rules one after another: content taken by an earlier rule, or already listed, counts as
 * gone for later ones. Changes no list.
 */
export async function askRules(
  deps: CacheParts,
  store: RetentionStore,
  rules: readonly Rule[],
): Promise<{ cache: CacheState | null; selections: Selection[] }> {
  const cache = await readCacheState(deps)
  if ('text' in cache) {
    return {
      cache: null,
      selections: rules.map((rule) => ({ rule, abstains: cache, verdicts: [] })),
    }
  }
  store.follow(cache.ofDepots)
  const now = deps.clock.now()
  const pinned = new Set(store.pins().map(({ gameKey }) => gameKey))
  const leaving = new Set(store.pending().map(({ gameKey }) => gameKey))
  const selections: Selection[] = []
  for (const rule of rules) {
    const spared = store.spared(rule.id, now)
    const selection = select(rule, cache, { pinned, spared, leaving: new Set(leaving) })
    for (const { game, state } of selection.verdicts) if (state === 'leaves') leaving.add(game.key)
    selections.push(selection)
  }
  return { cache, selections }
}
