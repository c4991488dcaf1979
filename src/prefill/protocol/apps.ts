import { Fields, MessageError, readId } from './fields.ts'
import { wireId } from './progress.ts'
import { parseWireJson, wireNumber } from './wire-json.ts'

/** Apps in one list; the largest libraries have some ten thousand. */
const appsMax = 100_000

/** An app of the library; `imageUrl` comes from some daemons only. */
export interface OwnedGame {
  appId: string
  name: string
  imageUrl: string | null
  minutesPlayedLast2Weeks: number
}

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

/** Data of `get-owned-games`. Throws MessageError. */
export const readOwnedGames = (data: unknown): OwnedGame[] =>
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

/** Data of `get-selected-apps`: ids as texts. Throws MessageError. */
export const readAppIds = (data: unknown): string[] =>
  readList(data, 'app ids', (value) => {
    const id = readId(value)
    if (id === null) throw new MessageError('app ids: not an id')
    return id
  })

/** The parameters `appIds`, `products` and `productIds`. Throws MessageError. */
export function parseAppIds(text: string): string[] {
  let value: unknown
  try {
    value = parseWireJson(text)
  } catch (cause) {
    throw new MessageError('app ids: not JSON', { cause })
  }
  return readAppIds(value)
}

/** The parameter `appIds`: ids of digits as numbers, others as texts, as all daemons accept them. */
export const appIdsText = (ids: readonly string[]): string =>
  JSON.stringify(ids.map((id) => wireId(id, /^(0|[1-9]\d{0,14})$/.test(id))))

/** What a download of one app would be. */
export interface SelectedApp {
  appId: string
  name: string
  downloadSize: number
  isUpToDate: boolean
  isUnsupportedOs: boolean
  unavailableReason: string | null
}

export interface SelectedAppsStatus {
  apps: SelectedApp[]
  totalDownloadSize: number
  message: string | null
}

/** Data of `get-selected-apps-status`. Throws MessageError. */
export function readSelectedAppsStatus(data: unknown): SelectedAppsStatus {
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

/** Whether what was prefilled is still current. */
export interface CachedApp {
  appId: string
  name: string
  isUpToDate: boolean
}

export interface CacheStatus {
  apps: CachedApp[]
  message: string | null
}

/** Data of `check-cache-status`. Throws MessageError. */
export function readCacheStatus(data: unknown): CacheStatus {
  const fields = new Fields(data, 'cache status')
  const apps = readList(fields.list('apps'), 'cache status', (value) => {
    const app = new Fields(value, 'cached app')
    const appId = app.requiredId('appId')
    return { appId, name: app.text('name') ?? appId, isUpToDate: app.flag('isUpToDate') }
  })
  return { apps, message: fields.text('message') }
}

/** A depot whose manifest was once prefilled. */
export interface CachedDepot {
  appId: string
  depotId: string
  manifestId: string
}

/** The parameter `cachedDepots`. Throws MessageError. */
export function parseCachedDepots(text: string): CachedDepot[] {
  let value: unknown
  try {
    value = parseWireJson(text)
  } catch (cause) {
    throw new MessageError('cachedDepots: not JSON', { cause })
  }
  return readList(value, 'cachedDepots', (entry) => {
    const fields = new Fields(entry, 'cachedDepots')
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

/** Data of `clear-cache` and `get-cache-info`: only the daemon's own temporary files. */
export interface DaemonFiles {
  fileCount: number
  bytesCleared: number
  message: string | null
}

/** Throws MessageError. */
export function readDaemonFiles(data: unknown): DaemonFiles {
  const fields = new Fields(data, 'cache info')
  return {
    fileCount: fields.count('fileCount'),
    bytesCleared: fields.count('bytesCleared'),
    message: fields.text('message'),
  }
}
