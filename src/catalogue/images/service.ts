/*
 * Images never make a caller wait for the internet. A run every half hour, and soon after names or
 * new titles arrive, fetches the images of named games with downloads into `<data>/cache/images`
 * (`images/`); requests read only what is stored. Addresses that a catalogue names are asked only
 * on the platform's own hosts, and redirects are not followed. The type of an image is that of its
 * first bytes; vector images from outside are refused. A file is named by the hash of the game's
 * key. DLC and tools of Steam without an image have that of the game they belong to, as Steam's
 * product information names it. Games of Battle.net and Riot Games have banners that Larder draws.
 */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { orNotFound } from '../../core/http/errors.ts'
import { endsWithin, within } from '../../core/lib/within.ts'
import type { OperationContext, OperationResult, Queued } from '../../core/operations/contract.ts'
import { named } from '../../core/operations/names.ts'
import type { CatalogueParts } from '../parts.ts'
import { drawBanner } from './banner.ts'
import { fetchImages, newImages, type FetchCounts } from './fetch-run.ts'
import type { ImageType } from './media-type.ts'
import {
  alphaOf,
  drawnName,
  nameServiceOf,
  slugOf,
  slugsOnAlpha,
  type NameService,
} from './names.ts'
import { openImageStore, type ImageStore } from './store.ts'

const serviceKey = 'gameImageFetch'
/** As the API documents it. */
const intervalHours = 0.5
/** A new installation gets its images this long after the start. */
const firstRunMinutes = 2
/** A caller who clears the images waits this long for the new ones. */
const waitMsMax = 60_000
/** And this long for the addresses of Epic's images; afterwards they come with the next run. */
const refreshMsMax = 30_000

/** An image as it is answered. `tag`: an entity tag without quotes. */
export interface ServedImage {
  content: Buffer
  type: ImageType | 'image/svg+xml'
  tag: string
}

function resultOf(counts: FetchCounts): OperationResult {
  const { missing, failed } = counts
  const added = newImages(counts)
  return {
    kind: 'completed',
    stageKey: 'signalr.gameImageFetch.complete',
    context: { ...counts },
    message: `${added} new images; ${missing} do not exist, ${failed} could not be fetched`,
    fields: { ...counts },
  }
}

/** Runs that fetch images: one at a time. */
function createRuns(parts: CatalogueParts, store: () => Promise<ImageStore>, added: Added) {
  const { catalogue, clock, config, history, operations, outside } = parts
  const ends = new Map<string, PromiseWithResolvers<void>>()

  async function run(context: OperationContext): Promise<OperationResult> {
    const counts = await fetchImages(
      {
        added,
        history,
        catalogue,
        outside,
        store: await store(),
        addresses: config.images,
        now: () => clock.now().getTime(),
      },
      context,
    )
    return context.signal.aborted ? { kind: 'cancelled' } : resultOf(counts)
  }

  function noteEnds(): void {
    for (const [id, end] of ends) {
      if (operations.get(id)?.finishedAt === null) continue
      ends.delete(id)
      end.resolve()
    }
  }

  function over(operationId: string): Promise<void> {
    const end = ends.get(operationId) ?? Promise.withResolvers<void>()
    ends.set(operationId, end)
    noteEnds()
    return end.promise
  }

  return {
    start: () => operations.onChange(noteEnds),
    /** Submits a run, or joins the active one. Throws OperationRefused. */
    begin: (isSilent: boolean): Queued =>
      operations.submit({
        type: serviceKey,
        scope: 'bulk',
        ...named('gameImageFetch'),
        isSilent,
        ...(!isSilent && { events: { prefix: 'GameImageFetch' } }),
        run,
      }),
    /** Resolves when the run is over. */
    over,
    /** Cancels the active run and waits for its end. */
    async cancel(): Promise<void> {
      const active = operations.active(serviceKey)
      if (active === null) return
      operations.cancel(active.id)
      await over(active.id)
    },
  }
}

type Added = (counts: FetchCounts) => void

const found = (image: ServedImage | null): ServedImage =>
  orNotFound(image, 'There is no image of this game')

/** The banner that Larder draws itself, for some games. */
function drawnBanner(service: NameService, slug: string): ServedImage | null {
  const name = drawnName(service, slug)
  if (name === null) return null
  const content = drawBanner(service, name)
  const tag = `image-${createHash('sha256').update(content).digest('hex')}`
  return { content, type: 'image/svg+xml', tag }
}

function servedOf(read: Awaited<ReturnType<ImageStore['read']>>): ServedImage | null {
  if (read === null) return null
  return { content: read.content, type: read.image.type, tag: `image-${read.image.sha256}` }
}

/** Resolves to the number of images there were. */
async function clearAll(stored: ImageStore): Promise<number> {
  const count = stored.keys().length
  await stored.clear()
  return count
}

/** App ids and slugs that have an image; the dashboard has tiles instead of drawn banners. */
function availableIds(stored: ImageStore): string[] {
  const onAlpha = [...slugsOnAlpha()].filter(([, appId]) => stored.find(`alpha:${appId}`) !== null)
  const ids = stored.keys().map((key) => key.slice(key.indexOf(':') + 1))
  return [...new Set([...ids, ...onAlpha.map(([slug]) => slug)])]
}

export type Images = ReturnType<typeof createImages>

/**
 * Images of games: fetched in the background, so that requests never reach the internet.
 * `refreshBeta` asks Epic for the addresses of its images again.
 */
export function createImages(parts: CatalogueParts, refreshBeta: () => Promise<number>) {
  const { clock, config, hub, log, operations, schedules } = parts
  const now = () => clock.now().getTime()
  const seconds = () => Math.floor(now() / 1000)
  let generation = seconds()
  let opening: Promise<ImageStore> | null = null
  const folder = join(config.dataPath, 'cache', 'images')
  const store = () => (opening ??= openImageStore(folder, { log, now }))
  const runs = createRuns(parts, store, (counts) => {
    const { newAlphaImages, newBetaImages, newNameKeyedImages } = counts
    const added = { newAlphaImages, newBetaImages, newNameKeyedImages }
    hub.publish('GameImagesUpdated', { ...added, cacheGeneration: generation })
  })

  const find = async (key: string) => servedOf(await (await store()).read(key))

  /** Discards all images, and resolves to their number; the next run fetches them again. */
  async function discard(): Promise<number> {
    await runs.cancel()
    generation = Math.max(seconds(), generation + 1)
    return clearAll(await store())
  }

  return {
    /** Images by key, see `WantedImage`. Throws `notFound`. */
    read: async (key: string): Promise<ServedImage> => found(await find(key)),
    /** The image of a game that has no id, only a name. Throws `notFound`. */
    async readNamed(serviceText: string, slugText: string): Promise<ServedImage> {
      const service = nameServiceOf(serviceText)
      if (service === null) return found(null)
      const slug = slugOf(slugText)
      const appId = alphaOf(slug)
      const stored =
        (appId === null ? null : await find(`alpha:${appId}`)) ?? (await find(`${service}:${slug}`))
      return found(stored ?? drawnBanner(service, slug))
    },
    /** App ids and slugs that have an image. */
    available: async (): Promise<string[]> => availableIds(await store()),
    /** Unix seconds of the last time that all images were discarded. */
    generation: (): number => generation,
    discard,
    /** Discards all images and fetches them again; waits for that for a minute at most. */
    async clear() {
      await discard()
      const betaImageUrlsRefreshed = await within(refreshBeta(), refreshMsMax, 0)
      const isOver = await endsWithin(runs.over(runs.begin(false).operationId), waitMsMax)
      const count = (await store()).keys().length
      const text = isOver ? `${count} were fetched again` : 'new ones are still being fetched'
      return {
        message: `All images were discarded; ${text}`,
        betaImageUrlsRefreshed,
        cacheGeneration: generation,
      }
    },
    /** Fetches missing images; resolves when that is over and never rejects. */
    async fetchMissing(): Promise<void> {
      try {
        // An active run does not know the names that came after its start.
        const active = operations.active(serviceKey)
        if (active !== null) await runs.over(active.id)
        await runs.over(runs.begin(true).operationId)
      } catch (err) {
        log.info({ err }, 'images of games are not fetched now')
      }
    },
    start(): void {
      runs.start()
      schedules.register({
        serviceKey,
        intervalHours,
        runOnStartup: false,
        firstRunMinutes,
        card: { notificationMode: 'manual', operationType: serviceKey },
        run: (_trigger, { isSilent }) => runs.begin(isSilent),
      })
    },
  }
}
