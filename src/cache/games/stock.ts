import { gameKey } from '../../catalogue/contract.ts'
import type { Detection } from '../detection/detection.ts'
import { awayFacts } from '../away/away.ts'
import { cacheInfo } from '../info/service.ts'
import type { CacheParts } from '../parts.ts'
import { silence } from '../retention/cache-state.ts'
import { keep } from '../../core/lib/kept.ts'

/** Callers within this time share one reading. */
const keptMs = 10_000

interface Options {
  detection: Pick<Detection, 'read'>
  /** Keys of games that rules never remove. */
  pinned: () => readonly string[]
}

/** What the caches hold, for whoever fills them. */
export function createStock(parts: CacheParts, { detection, pinned }: Options) {
  const { cache, history, clock } = parts

  async function read() {
    const [{ games, services }, roots, info] = await Promise.all([
      detection.read({ hasDetails: false }),
      cache.roots(),
      cacheInfo(parts),
    ])
    const walked = roots.map(({ walkedAt }) => Date.parse(walkedAt ?? ''))
    // Without the history it is not known which depots are one game.
    const isKnown =
      history.status().state === 'ready' &&
      roots.length > 0 &&
      roots.every((root) => silence(root) === null)
    const pins = new Set(pinned())
    return {
      readAt: isKnown ? new Date(Math.min(...walked)) : null,
      games: games.flatMap(({ identity, bytes }) => {
        const key = gameKey(identity)
        const isGame = identity.kind !== 'service'
        return isGame ? [{ key, name: identity.name, bytes, isPinned: pins.has(key) }] : []
      }),
      otherBytes: services.reduce((sum, { bytes }) => sum + bytes, 0),
      roomBytes: info.space?.roomBytes ?? null,
      ...awayFacts(parts),
    }
  }

  const stock = keep(clock, keptMs, read)
  return {
    /** Starts dropping readings when the index changes. */
    start: () => cache.onChange(stock.forget),
    read: stock.read,
  }
}
