import pLimit, { type LimitFunction } from 'p-limit'
import { type Outside, OutsideError } from '../../core/lib/outside.ts'
import { pace } from '../../core/lib/pace.ts'
import type { OperationContext } from '../../core/operations/contract.ts'
import { errorText } from '../../core/lib/error-text.ts'
import type { ImageStore } from './store.ts'
import { wantedImages, type WantedImage, type WantedParts } from './wanted.ts'
import { imageTypeOf, type ImageType } from './media-type.ts'

const timeoutMs = 10_000
/** Larger images are refused; header images have 20 to 300 kB. */
const imageBytesMax = 2 * 1024 * 1024
/** Smaller ones are the platforms' grey placeholders. */
const imageBytesMin = 5000

type Fetched =
  | { kind: 'image'; bytes: Buffer; type: ImageType }
  /** There is no image at this address. */
  | { kind: 'none' }
  /** The server did not answer, or cannot answer now. */
  | { kind: 'failed'; reason: string }

/** The body, or null when it is too large; the rest is not received then. */
async function readBody(response: Response): Promise<Buffer | null> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length
    if (bytes > imageBytesMax) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

async function imageIn(response: Response): Promise<Fetched> {
  if (!response.ok) {
    await response.body?.cancel()
    return { kind: 'none' }
  }
  const bytes = await readBody(response)
  if (bytes === null || bytes.length < imageBytesMin) return { kind: 'none' }
  const type = imageTypeOf(bytes)
  return type === null ? { kind: 'none' } : { kind: 'image', bytes, type }
}

/** Fetches one image. Rejects only with the signal's reason. */
async function fetchImage(outside: Outside, url: string, signal: AbortSignal): Promise<Fetched> {
  try {
    // A redirect could lead to a machine of the operator's network.
    return await outside.get({ url, signal, timeoutMs, redirect: 'manual' }, imageIn)
  } catch (error) {
    signal.throwIfAborted()
    const status = error instanceof OutsideError ? error.status : null
    const isMissing = status !== null && status >= 400 && status < 500 && status !== 429
    if (isMissing) return { kind: 'none' }
    return { kind: 'failed', reason: errorText(error) }
  }
}

/** Images of one run; the next run continues. */
const imagesMax = 2000
/** Images at a time; each host still answers one after the other. */
const concurrency = 5
const dayMs = 86_400_000
/** Older images are fetched again: publishers change them for seasons. */
const freshMs = 7 * dayMs
/** How long an image that is nowhere is not looked for. */
const missingMs = dayMs
/** Dashboards load the list of images with every report. */
const reportEveryMs = 5000
/** A host that failed this often in a row is left alone until the next run. */
const failuresMax = 3

export interface FetchRunParts extends WantedParts {
  /** Called with the counts so far while new images arrive, and at the end if there were any. */
  added: (counts: FetchCounts) => void
  outside: Outside
  store: ImageStore
  now: () => number
}

export interface FetchCounts {
  newAlphaImages: number
  newBetaImages: number
  newNameKeyedImages: number
  /** Images that no server has, and those that could not be asked for. */
  missing: number
  failed: number
}

function countOf(key: string): 'newAlphaImages' | 'newBetaImages' | 'newNameKeyedImages' {
  if (key.startsWith('alpha:')) return 'newAlphaImages'
  return key.startsWith('beta:') ? 'newBetaImages' : 'newNameKeyedImages'
}

export const newImages = (counts: FetchCounts): number =>
  counts.newAlphaImages + counts.newBetaImages + counts.newNameKeyedImages

interface Host {
  turn: LimitFunction
  /** In a row. */
  failures: number
}

/** Asks hosts for images, one at a time, except those that failed several times in a row. */
function patientHosts(outside: Outside, signal: AbortSignal) {
  const hosts = new Map<string, Host>()
  return (url: string): Promise<Fetched> => {
    const { host: name } = new URL(url)
    const host = hosts.get(name) ?? { turn: pLimit(1), failures: 0 }
    hosts.set(name, host)
    return host.turn(async () => {
      if (host.failures >= failuresMax) return { kind: 'failed', reason: `${name} fails` }
      const fetched = await fetchImage(outside, url, signal)
      host.failures = fetched.kind === 'failed' ? host.failures + 1 : 0
      return fetched
    })
  }
}

/** The best image of all sources. */
async function firstOf(
  { sources }: WantedImage,
  ask: (url: string) => Promise<Fetched>,
): Promise<Fetched> {
  let result: Fetched = { kind: 'none' }
  for (const mirrors of sources) {
    for (const url of mirrors) {
      const fetched = await ask(url)
      if (fetched.kind === 'image') return fetched
      if (fetched.kind === 'none') break
      result = fetched
    }
  }
  return result
}

/** Fetches the images that are not stored or old. Rejects with HistoryUnavailable. */
export async function fetchImages(
  parts: FetchRunParts,
  { signal, report }: Pick<OperationContext, 'signal' | 'report'>,
): Promise<FetchCounts> {
  const { added, outside, store, now } = parts
  const counts: FetchCounts = {
    newAlphaImages: 0,
    newBetaImages: 0,
    newNameKeyedImages: 0,
    missing: 0,
    failed: 0,
  }
  const isDue = ({ key }: WantedImage) =>
    !store.isMissing(key) && (store.find(key)?.fetchedAt ?? 0) < now() - freshMs
  const due = (await wantedImages(parts)).filter(isDue).slice(0, imagesMax)
  const ask = patientHosts(outside, signal)
  const mayReport = pace(reportEveryMs)
  let done = 0

  async function take(image: WantedImage): Promise<void> {
    if (signal.aborted) return
    const fetched = await firstOf(image, ask)
    const isNew = store.find(image.key) === null
    if (fetched.kind === 'image') {
      await store.keep(image.key, fetched)
      if (isNew) counts[countOf(image.key)]++
      if (isNew && mayReport()) added(counts)
    } else if (fetched.kind === 'none') {
      store.noteMissing(image.key, now() + missingMs)
      counts.missing++
    } else counts.failed++
    done++
    report({
      percentComplete: (done / due.length) * 100,
      stageKey: 'signalr.gameImageFetch.fetching',
      context: { done, total: due.length },
    })
  }

  try {
    await pLimit(concurrency).map(due, take)
  } catch (error) {
    if (!signal.aborted) throw error
  } finally {
    await store.save()
  }
  if (newImages(counts) > 0) added(counts)
  return counts
}
