import { Type, type Static } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { userAgent, type Outside, type OutsideRequest } from '../../core/lib/outside.ts'
import { askJson } from '../../core/lib/outside-json.ts'
import type { EpsilonAddresses } from '../../core/lib/platform-addresses.ts'
import { bannerOf, StoreImage } from './image.ts'
import { targetOf, type EpsilonAccess, type EpsilonAuthorization } from './tokens.ts'

const timeoutMs = 30_000
/** The service knows the Xbox app; our own name is appended. */
const packagesAgent = `Microsoft.Xbox.GameStreaming/10.0 ${userAgent}`
/** Titles of one account; further ones are left out. */
const titlesMax = 10_000
/** Packages of one product, for example one per kind of device. */
const packagesMax = 20
/** Files of one package. */
const filesMax = 2000
/** Larger files, in bytes, are not believed: a game has some hundred gigabytes. */
const fileBytesMax = 2 ** 40
const textMax = 300

const rows = Type.Array(Type.Unknown())
const id = Type.String({ minLength: 1, maxLength: 100, pattern: '^[A-Za-z0-9-]+$' })

const TitleHistory = Type.Object({ titles: rows })
const Title = Type.Object({
  pfn: Type.String({ minLength: 1 }),
  productId: id,
  name: Type.String({ minLength: 1 }),
})
const Played = Type.Object({ titleHistory: Type.Object({ lastTimePlayed: Type.String() }) })

const Profile = Type.Object({
  profileUsers: Type.Array(
    Type.Object({ settings: Type.Array(Type.Object({ id: Type.String(), value: Type.String() })) }),
  ),
})

const Product = Type.Object({
  LocalizedProperties: Type.Optional(
    Type.Array(
      Type.Object({
        ProductTitle: Type.Optional(Type.Unknown()),
        Images: Type.Optional(Type.Array(StoreImage)),
      }),
    ),
  ),
  DisplaySkuAvailabilities: Type.Optional(
    Type.Array(
      Type.Object({
        Sku: Type.Object({
          Properties: Type.Object({ Packages: Type.Optional(Type.Union([rows, Type.Null()])) }),
        }),
      }),
    ),
  ),
})
const Products = Type.Object({ Products: Type.Array(Product) })
const Package = Type.Object({ ContentId: id })
const Platforms = Type.Object({
  PlatformDependencies: Type.Array(Type.Object({ PlatformName: Type.String() }), { minItems: 1 }),
})
/** Platforms of packages for PCs; of the older one only where there are none of the others. */
const pcPlatforms = ['windows.desktop', 'windows.universal']
const olderPcPlatform = 'windows.windows8x'

const Files = Type.Object({
  PackageFound: Type.Boolean(),
  Version: Type.Optional(Type.Unknown()),
  PackageFiles: Type.Optional(Type.Union([rows, Type.Null()])),
})
const PackageFile = Type.Object({
  FileName: Type.String({ maxLength: 500 }),
  FileSize: Type.Integer({ minimum: 0, maximum: fileBytesMax }),
  RelativeUrl: Type.String({ maxLength: 4000 }),
  CdnRootPaths: Type.Array(Type.String({ maxLength: 1000 }), { minItems: 1, maxItems: 100 }),
})

export interface EpsilonTitle {
  productId: string
  title: string
  /** 0: not known. */
  lastPlayedMs: number
}

/** What the store's catalogue says about a product. */
export interface EpsilonProduct {
  /** Null: the catalogue has none. */
  title: string | null
  contentIds: string[]
  /** Of these, those of packages that run on a PC; packages that name no platform count as such. */
  pcContentIds: string[]
  imageUrl: string | null
}

/** A file with the content of a package, and its addresses: one on each content host. */
export interface EpsilonFile {
  bytes: number
  urls: URL[]
}

/** The current version of a package. */
export interface EpsilonPackage {
  /** Empty: not known. */
  version: string
  files: EpsilonFile[]
  /** Files that are listed in an unknown form, or beyond the limit. */
  unread: number
}

/** Text of a service; empty when it is none. */
const cleanText = (text: unknown): string =>
  typeof text === 'string' ? text.replaceAll('\0', '').trim().slice(0, textMax) : ''

function lastPlayedOf(row: unknown): number {
  if (!Value.Check(Played, row)) return 0
  return Date.parse(row.titleHistory.lastTimePlayed) || 0
}

/** Files that describe others, and have no content. */
const isDescription = (row: unknown): boolean =>
  Value.Check(Type.Pick(PackageFile, ['FileName']), row) && /\.(?:phf|xsp)$/i.test(row.FileName)

function fileOf({ FileSize, RelativeUrl, CdnRootPaths }: Static<typeof PackageFile>): EpsilonFile {
  const rest = RelativeUrl.replace(/^\/+/, '')
  const urls = CdnRootPaths.flatMap(
    (root) => URL.parse(`${root.replace(/\/+$/, '')}/${rest}`) ?? [],
  )
  return { bytes: FileSize, urls: urls.filter(({ protocol }) => /^https?:$/.test(protocol)) }
}

function packageOf({ Version, PackageFiles }: Static<typeof Files>): EpsilonPackage {
  const rows = (PackageFiles ?? []).filter((row) => !isDescription(row))
  const files = rows
    .slice(0, filesMax)
    .flatMap((row) => (Value.Check(PackageFile, row) ? fileOf(row) : []))
    .filter(({ urls }) => urls.length > 0)
  return { version: cleanText(Version), files, unread: rows.length - files.length }
}

const idsOf = (packages: readonly Static<typeof Package>[]) =>
  [...new Set(packages.map(({ ContentId }) => ContentId))].slice(0, packagesMax)

/** The packages that run on a PC. */
function forPc(packages: readonly Static<typeof Package>[]): Static<typeof Package>[] {
  const runsOn = (row: unknown, ...wanted: string[]) =>
    !Value.Check(Platforms, row) ||
    row.PlatformDependencies.some(({ PlatformName }) => wanted.includes(PlatformName.toLowerCase()))
  const current = packages.filter((row) => runsOn(row, ...pcPlatforms))
  return current.length > 0 ? current : packages.filter((row) => runsOn(row, olderPcPlatform))
}

/** What the Xbox app tells of itself. */
const clientNames = {
  'x-xbl-client-name': 'XboxApp',
  'x-xbl-client-type': 'UWA',
  'x-xbl-client-version': '39.39.22001.0',
}

/** Headers of the services of an account. */
const service = (authorization: string, version: number) => ({
  authorization,
  'x-xbl-contract-version': String(version),
  'accept-language': 'en-US',
})

const asked = (
  url: string,
  headers: Record<string, string>,
  signal: AbortSignal,
): OutsideRequest => ({
  url,
  headers,
  signal,
  timeoutMs,
  redirect: 'error',
})

/** What the account has played. All methods throw OutsideError. */
function accountTitles(outside: Outside, config: EpsilonAddresses) {
  return {
    /** Everything once played: titles of the store, each once. */
    async titles({ header, xuid }: EpsilonAuthorization, signal: AbortSignal) {
      const decoration = 'detail,image,productId,gamepass,titleHistory'
      const path = `/users/xuid(${xuid})/titles/titlehistory/decoration/${decoration}`
      const url = `${config.titleHubBaseUrl}${path}`
      const headers = { ...service(header, 2), ...clientNames }
      const { value } = await askJson(outside, asked(url, headers, signal), TitleHistory)
      const found = new Map<string, EpsilonTitle>()
      for (const row of value?.titles.slice(0, titlesMax) ?? []) {
        if (!Value.Check(Title, row)) continue
        const { productId } = row
        const title = cleanText(row.name)
        if (title !== '')
          found.set(productId, { productId, title, lastPlayedMs: lastPlayedOf(row) })
      }
      return [...found.values()]
    },

    /** Null: the profile has none. */
    async gamertag({ header, xuid }: EpsilonAuthorization, signal: AbortSignal) {
      const url = `${config.profileBaseUrl}/users/xuid(${xuid})/profile/settings?settings=Gamertag`
      const { value } = await askJson(outside, asked(url, service(header, 3), signal), Profile)
      const settings = value?.profileUsers[0]?.settings ?? []
      return settings.find((setting) => setting.id === 'Gamertag')?.value.slice(0, 100) ?? null
    },
  }
}

/** What the titles consist of. All methods throw OutsideError. */
function packages(outside: Outside, config: EpsilonAddresses) {
  return {
    /** Needs no account. */
    async product(productId: string, signal: AbortSignal): Promise<EpsilonProduct> {
      const query = new URLSearchParams({
        bigIds: productId,
        market: 'US',
        languages: 'en-US,neutral',
        fieldsTemplate: 'details',
      })
      const url = `${config.catalogBaseUrl}/v7.0/products?${query.toString()}`
      const { value } = await askJson(outside, { url, signal, timeoutMs }, Products)
      const products = value?.Products ?? []
      const packages = products
        .flatMap((product) => product.DisplaySkuAvailabilities ?? [])
        .flatMap(({ Sku }) => Sku.Properties.Packages ?? [])
        .filter((row) => Value.Check(Package, row))
      const localized = products.flatMap((product) => product.LocalizedProperties ?? [])
      const images = localized.flatMap(({ Images }) => Images ?? [])
      return {
        title: cleanText(localized[0]?.ProductTitle) || null,
        contentIds: idsOf(packages),
        pcContentIds: idsOf(forPc(packages)),
        imageUrl: bannerOf(images),
      }
    },

    /** The request is signed. Null: there is no such package. */
    async package(
      contentId: string,
      { header, device }: EpsilonAccess['packages'],
      signal: AbortSignal,
    ): Promise<EpsilonPackage | null> {
      const url = `${config.packagesBaseUrl}/GetBasePackage/${contentId}`
      const signed = { method: 'GET', target: targetOf(url), authorization: header, body: '' }
      const signature = device.sign(signed)
      const headers = { ...service(header, 1), signature, 'user-agent': packagesAgent }
      const request = { url, headers, signal, timeoutMs, redirect: 'error' } as const
      const { value } = await askJson(outside, request, Files)
      return value?.PackageFound === true ? packageOf(value) : null
    },
  }
}

/** Titles of one account, and their packages. */
export const createEpsilonLibrary = (outside: Outside, config: EpsilonAddresses) => ({
  ...accountTitles(outside, config),
  ...packages(outside, config),
})

export type EpsilonLibrary = ReturnType<typeof createEpsilonLibrary>
