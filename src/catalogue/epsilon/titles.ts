import { Type, type Static } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import type { Config } from '../../core/config.ts'
import { userAgent, type Outside, type OutsideRequest } from '../../core/lib/outside.ts'
import { askJson } from '../../core/lib/outside-json.ts'
import { epsilonFragment } from '../../engines/titles/epsilon/title.ts'
import { bannerOf, StoreImage } from './image.ts'
import { targetOf, type Signing, type EpsilonAuthorization } from './tokens.ts'

const timeoutMs = 30_000
/** The service knows the Xbox app; our own name is appended. */
const packagesAgent = `Microsoft.Xbox.GameStreaming/10.0 ${userAgent}`
/** Titles of one account; further ones are left out. */
const titlesMax = 10_000
/** Packages of one product, for example one per kind of console. */
const packagesMax = 20
/** Files of one package; they share a few fragments. */
const filesMax = 2000
const textMax = 300

const rows = Type.Array(Type.Unknown())
const id = Type.String({ minLength: 1, maxLength: 100, pattern: '^[A-Za-z0-9-]+$' })

const TitleHistory = Type.Object({ titles: rows })
const Title = Type.Object({
  pfn: Type.String({ minLength: 1 }),
  productId: id,
  name: Type.String({ minLength: 1 }),
})

const Profile = Type.Object({
  profileUsers: Type.Array(
    Type.Object({ settings: Type.Array(Type.Object({ id: Type.String(), value: Type.String() })) }),
  ),
})

const Product = Type.Object({
  LocalizedProperties: Type.Optional(
    Type.Array(Type.Object({ Images: Type.Optional(Type.Array(StoreImage)) })),
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

const Files = Type.Object({
  PackageFound: Type.Boolean(),
  PackageFiles: Type.Optional(Type.Union([rows, Type.Null()])),
})
const PackageFile = Type.Object({
  FileName: Type.String({ maxLength: 500 }),
  RelativeUrl: Type.String({ maxLength: 1000 }),
  CdnRootPaths: Type.Array(Type.String({ maxLength: 1000 }), { minItems: 1 }),
})

export interface EpsilonTitle {
  productId: string
  title: string
}

/** What the store's catalogue says about a product. */
export interface EpsilonProduct {
  contentIds: string[]
  imageUrl: string | null
}

/** A part of package URLs that identifies a title, in lower case, and the host it was named with. */
export interface Fragment {
  fragment: string
  host: string
}

/** Null for files without content, and for addresses that do not identify one title. */
function fragmentOf(file: Static<typeof PackageFile>): Fragment | null {
  if (/\.(?:phf|xsp)$/i.test(file.FileName)) return null
  const root = (file.CdnRootPaths[0] ?? '').replace(/\/+$/, '')
  const url = URL.parse(`${root}/${file.RelativeUrl.replace(/^\/+/, '')}`)
  const fragment = epsilonFragment(url?.pathname ?? '')
  return url === null || fragment === null ? null : { fragment, host: url.hostname }
}

/** Headers of the services of an account. */
const service = (authorization: string, version: number) => ({
  authorization,
  'x-xbl-contract-version': String(version),
  'accept-language': 'en-US',
})

const asked = (url: string, authorization: string, signal: AbortSignal): OutsideRequest => ({
  url,
  headers: service(authorization, 2),
  signal,
  timeoutMs,
  redirect: 'error',
})

/** What the account has played. All methods throw OutsideError. */
function accountTitles(outside: Outside, config: Config['epsilon']) {
  return {
    /** Everything once played: titles of the store, each once. */
    async titles({ header, xuid }: EpsilonAuthorization, signal: AbortSignal) {
      const decoration = 'detail,image,productId,gamepass'
      const path = `/users/xuid(${xuid})/titles/titlehistory/decoration/${decoration}`
      const url = `${config.titleHubBaseUrl}${path}`
      const { value } = await askJson(outside, asked(url, header, signal), TitleHistory)
      const found = new Map<string, EpsilonTitle>()
      for (const row of value?.titles.slice(0, titlesMax) ?? []) {
        if (!Value.Check(Title, row)) continue
        const title = row.name.replaceAll('\0', '').trim().slice(0, textMax)
        if (title !== '') found.set(row.productId, { productId: row.productId, title })
      }
      return [...found.values()]
    },

    /** Null: the profile has none. */
    async gamertag({ header, xuid }: EpsilonAuthorization, signal: AbortSignal) {
      const url = `${config.profileBaseUrl}/users/xuid(${xuid})/profile/settings?settings=Gamertag`
      const { value } = await askJson(outside, asked(url, header, signal), Profile)
      const settings = value?.profileUsers[0]?.settings ?? []
      return settings.find((setting) => setting.id === 'Gamertag')?.value.slice(0, 100) ?? null
    },
  }
}

/** What the titles consist of. All methods throw OutsideError. */
function packages(outside: Outside, config: Config['epsilon']) {
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
      const contentIds = [...new Set(packages.map(({ ContentId }) => ContentId))]
      const images = products
        .flatMap((product) => product.LocalizedProperties ?? [])
        .flatMap(({ Images }) => Images ?? [])
      return { contentIds: contentIds.slice(0, packagesMax), imageUrl: bannerOf(images) }
    },

    /** Fragments of a package's files; the request is signed. Empty: there is no such package. */
    async fragments(
      contentId: string,
      { header, device }: { header: string; device: Signing },
      signal: AbortSignal,
    ): Promise<Fragment[]> {
      const url = `${config.packagesBaseUrl}/GetBasePackage/${contentId}`
      const signed = { method: 'GET', target: targetOf(url), authorization: header, body: '' }
      const signature = device.sign(signed)
      const headers = { ...service(header, 1), signature, 'user-agent': packagesAgent }
      const request = { url, headers, signal, timeoutMs, redirect: 'error' } as const
      const { value } = await askJson(outside, request, Files)
      if (value?.PackageFound !== true) return []
      const found = new Map<string, Fragment>()
      for (const row of (value.PackageFiles ?? []).slice(0, filesMax)) {
        const fragment = Value.Check(PackageFile, row) ? fragmentOf(row) : null
        if (fragment !== null) found.set(fragment.fragment, fragment)
      }
      return [...found.values()]
    },
  }
}

/** Titles of one account, and their packages. */
export const createEpsilonTitles = (outside: Outside, config: Config['epsilon']) => ({
  ...accountTitles(outside, config),
  ...packages(outside, config),
})

export type EpsilonTitles = ReturnType<typeof createEpsilonTitles>
