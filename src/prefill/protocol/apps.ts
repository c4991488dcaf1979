import { Fields, MessageError, readId } from './fields.ts'
import { wireId } from './progress.ts'
import { parseWireJson, wireNumber } from './wire-json.ts'

/** Apps in one list; the largest libraries have some ten thousand. */
const appsMax = 100_000

function readList<T>(data: unknown, what: string, read: (value: unknown) => T): T[] {
  if (!Array.isArray(data)) throw new MessageError(`${what}: not a list`)
  if (data.length > appsMax) throw new MessageError(`${what}: more than ${appsMax} entries`)
  return data.map(read)
}

/** Wide images first: the dashboard shows banners. */
const imageTypes = ['DieselGameBox', 'OfferImageWide', 'Thumbnail', 'DieselGameBoxTall']

function imageOf(fields: Fields): string | null {
  const direct = fields.text('imageUrl')
  if (direct !== null) return direct
  const images = fields.list('keyImages').map((image) => {
    const members = new Fields(image, 'keyImages')
    return { type: members.text('type') ?? '', url: members.text('url') }
  })
  const best = imageTypes.map((wanted) => images.find(({ type }) => type === wanted))
  return (best.find((image) => image !== undefined) ?? images[0])?.url ?? null
}

/** Data of `get-owned-games`; `imageUrl` comes from some daemons only. Throws MessageError. */
export const readOwnedGames = (data: unknown) =>
  readList(data, 'owned games', (value) => {
    const fields = new Fields(value, 'owned game')
    const appId = fields.requiredId('appId')
    return {
      appId,
      name: fields.text('name') ?? appId,
      imageUrl: imageOf(fields),
      minutesPlayedLast2Weeks: fields.count('minutesPlayedLast2Weeks'),
    }
  })
/** An app of the library. */
export type OwnedGame = ReturnType<typeof readOwnedGames>[number]

/** Data of `get-selected-apps`: ids as texts. Throws MessageError. */
export const readAppIds = (data: unknown): string[] =>
  readList(data, 'app ids', (value) => {
    const id = readId(value)
    if (id === null) throw new MessageError('app ids: not an id')
    return id
  })

function parsed(text: string, what: string): unknown {
  try {
    return parseWireJson(text)
  } catch (cause) {
    throw new MessageError(`${what}: not JSON`, { cause })
  }
}

/** The parameters `appIds`, `products` and `productIds`. Throws MessageError. */
export const parseAppIds = (text: string): string[] => readAppIds(parsed(text, 'app ids'))

/** The parameter `appIds`: ids of digits as numbers, others as texts, as all daemons accept them. */
export const appIdsText = (ids: readonly string[]): string =>
  JSON.stringify(ids.map((id) => wireId(id, /^(0|[1-9]\d{0,14})$/.test(id))))

/** Data of `get-selected-apps-status`: what their download would be. Throws MessageError. */
export function readSelectedAppsStatus(data: unknown) {
  const fields = new Fields(data, 'selected apps')
  const apps = readList(fields.list('apps'), 'selected apps', (value) => {
    const app = new Fields(value, 'selected app')
    const appId = app.requiredId('appId')
    return {
      appId,
      name: app.text('name') ?? appId,
      downloadSize: app.count('downloadSize'),
      isUpToDate: app.flag('isUpToDate'),
      isUnsupportedOs: app.flag('isUnsupportedOs'),
      unavailableReason: app.text('unavailableReason'),
    }
  })
  return {
    apps,
    totalDownloadSize: fields.count('totalDownloadSize'),
    message: fields.text('message'),
  }
}
export type SelectedAppsStatus = ReturnType<typeof readSelectedAppsStatus>
export type SelectedApp = SelectedAppsStatus['apps'][number]

/** Data of `check-cache-status`: whether what was prefilled is current. Throws MessageError. */
export function readCacheStatus(data: unknown) {
  const fields = new Fields(data, 'cache status')
  const apps = readList(fields.list('apps'), 'cache status', (value) => {
    const app = new Fields(value, 'cached app')
    const appId = app.requiredId('appId')
    return { appId, name: app.text('name') ?? appId, isUpToDate: app.flag('isUpToDate') }
  })
  return { apps, message: fields.text('message') }
}
export type CacheStatus = ReturnType<typeof readCacheStatus>

/** A depot whose manifest was once prefilled. */
export interface CachedDepot {
  appId: string
  depotId: string
  manifestId: string
}

/** The parameter `cachedDepots`. Throws MessageError. */
export function parseCachedDepots(text: string): CachedDepot[] {
  const what = 'cachedDepots'
  return readList(parsed(text, what), what, (entry) => {
    const fields = new Fields(entry, what)
    return {
      appId: fields.requiredId('appId'),
      depotId: fields.requiredId('depotId'),
      manifestId: fields.requiredId('manifestId'),
    }
  })
}

/** The same as text, with all 64 bits of the ids. Throws SyntaxError for ids that are no numbers. */
export const cachedDepotsText = (depots: readonly CachedDepot[]): string =>
  JSON.stringify(
    depots.map(({ appId, depotId, manifestId }) => ({
      appId: wireNumber(appId),
      depotId: wireNumber(depotId),
      manifestId: wireNumber(manifestId),
    })),
  )

/** Data of `clear-cache` and `get-cache-info`: the daemon's own files. Throws MessageError. */
export function readDaemonFiles(data: unknown) {
  const fields = new Fields(data, 'cache info')
  return {
    fileCount: fields.count('fileCount'),
    bytesCleared: fields.count('bytesCleared'),
    message: fields.text('message'),
  }
}
export type DaemonFiles = ReturnType<typeof readDaemonFiles>
