import type { EpsilonLibrary, EpsilonTitle } from '../../../engines/epsilon-connection/library.ts'
import { OutsideError, type Outside } from '../../../core/lib/outside.ts'
import type { AppFilter } from '../engine.ts'
import type { EpsilonAccount } from './account.ts'

const timeoutMs = 30_000
const pageBytesMax = 8 * 1024 * 1024
/** Titles that count as recently played, and as most popular. */
const recentMax = 10
const popularMax = 25

/** Product ids in the links of a page of the store, in order, in upper case. */
export function productsOf(page: string): string[] {
  const links = page.matchAll(/\/([0-9a-z]{12})(?=["'?#/\s])/gi)
  return [...new Set([...links].map(([, id = '']) => id.toUpperCase()))]
}

interface TitleParts {
  outside: Outside
  library: EpsilonLibrary
  account: EpsilonAccount
  storeBaseUrl: string
}

/** Titles of the account, and those that a filter means. */
export function createTitles({ outside, library, account, storeBaseUrl }: TitleParts) {
  let listed: ReadonlyMap<string, EpsilonTitle> = new Map()

  async function list(signal: AbortSignal): Promise<EpsilonTitle[]> {
    const titles = await account.use((access) => library.titles(access.titles, signal), signal)
    listed = new Map(titles.map((title) => [title.productId, title]))
    return titles
  }

  function popularProducts(signal: AbortSignal): Promise<string[]> {
    const url = `${storeBaseUrl}/en-us/store/most-popular/games/xbox`
    const request = { url, signal, timeoutMs, bytesMax: pageBytesMax }
    return outside.get(request, async (response) => productsOf(await response.text()))
  }

  /** Of these titles; the first ones where the store names none of them. */
  async function popular(ids: readonly string[], count: number, signal: AbortSignal) {
    try {
      const own = new Map(ids.map((id) => [id.toUpperCase(), id]))
      const found = (await popularProducts(signal)).flatMap((id) => own.get(id) ?? [])
      if (found.length > 0) return found.slice(0, count)
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof OutsideError)) throw error
    }
    return ids.slice(0, count)
  }

  return {
    list,
    /** Null: it was not in the last list. */
    nameOf: (productId: string): string | null => listed.get(productId)?.title ?? null,
    /** Product ids, the title played last first, apart from popular ones. */
    async choose({ all, recent, recentlyPurchased, top }: AppFilter, signal: AbortSignal) {
      const byTime = (await list(signal)).toSorted((a, b) => b.lastPlayedMs - a.lastPlayedMs)
      const ids = byTime.map(({ productId }) => productId)
      if (all) return ids
      // Xbox does not say when a title was bought.
      const played = recent || recentlyPurchased ? ids.slice(0, recentMax) : []
      if (top === null) return played
      const count = top === Infinity ? popularMax : top
      return [...new Set([...played, ...(await popular(ids, count, signal))])]
    },
  }
}
