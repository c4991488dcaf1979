import pLimit, { type LimitFunction } from 'p-limit'
import type { Outside } from '../../core/lib/outside.ts'
import { pace } from '../../core/lib/pace.ts'
import type { OperationContext } from '../../core/operations/contract.ts'
import { fetchImage, type Fetched } from './fetch-image.ts'
import type { ImageStore } from './store.ts'
import { wantedImages, type WantedImage, type WantedParts } from './wanted.ts'

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
