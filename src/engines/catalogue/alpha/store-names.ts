import { OutsideError, type Outside } from '../../../core/lib/outside.ts'
import type { StoreRequest } from '../contract.ts'
import type { CatalogueStore } from '../store.ts'

const answerMs = 30_000
/** Answers are a few kilobytes. */
const answerBytesMax = 1024 * 1024
/** Names rarely change; an app that the store does not sell may be sold tomorrow. */
const keptMs = 30 * 24 * 3_600_000

const text = (value: unknown, max: number): string | null =>
  typeof value === 'string' && value.trim() !== '' && value.length <= max ? value.trim() : null

/** Only web addresses: the dashboard shows them. */
const webAddress = (value: unknown): string | null => {
  const address = text(value, 1000)
  return address !== null && /^https?:\/\//.test(address) ? address : null
}

export interface StoreNamesParts {
  store: CatalogueStore
  outside: Outside
  signal: AbortSignal
}

/**
 * Asks the Steam store for the names and header images of apps, one at a time, and keeps the
 * answers. Returns the apps whose name or image is new. Ends at the first failure.
 */
export async function lookUp(
  { store, outside, signal }: StoreNamesParts,
  { baseUrl, appIds, limit }: StoreRequest,
): Promise<number[]> {
  const found: number[] = []
  for (const appId of store.unasked(appIds, Date.now() - keptMs).slice(0, limit)) {
    if (signal.aborted) break
    try {
      const url = `${baseUrl}/api/appdetails?appids=${appId}&filters=basic`
      const answer = await outside.get(
        { url, signal, timeoutMs: answerMs, bytesMax: answerBytesMax },
        async (response) => {
          return (
            (JSON.parse(await response.text()) as Record<
              string,
              { data?: Record<string, unknown> }
            > | null) ?? {}
          )
        },
      )
      const data = answer[String(appId)]?.data ?? {}
      const [name, imageUrl] = [text(data.name, 500), webAddress(data.header_image)]
      store.keepStoreAnswer({ appId, name, imageUrl, askedAt: Date.now() })
      if (name !== null || imageUrl !== null) found.push(appId)
    } catch (error) {
      if (signal.aborted || error instanceof OutsideError || error instanceof SyntaxError) break
      throw error
    }
  }
  return found
}
