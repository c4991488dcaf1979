import { inSlices } from '../../core/lib/in-slices.ts'
import type { History } from '../../../db/history/history.ts'
import type { Config } from '../../core/config.ts'
import type { CatalogueEngine } from '../../engines/catalogue/contract.ts'
import { gameOf, type TitleRow } from '../titles/games.ts'
import { alphaOf, nameServiceOf, slugOf } from './names.ts'

/** Titles that are considered, those renamed last first. */
const titlesMax = 20_000

/** An image that a game of the history should have. */
export interface WantedImage {
  /** `alpha:<app>`, `beta:<app>` or `<service>:<slug>`. */
  key: string
  /**
   * Its addresses, best first. Those of one group are mirrors: the next one is only tried when one
   * does not answer.
   */
  sources: readonly (readonly string[])[]
}

type Addresses = Config['images']

/** Hosts that the platforms' catalogues name for images. */
const imageHosts = {
  alpha: /(?:^|\.)steamstatic\.com$/,
  beta: /(?:^|\.)(?:epicgames|unrealengine)\.com$/,
  epsilon: /(?:^|\.)(?:s-microsoft|xboxlive)\.com$/,
} as const

/**
 * The address that a catalogue names, as far as it leads to the platform's own servers: requests to
 * other machines are none of a catalogue's business. With an own server its path is asked there.
 */
function recorded(
  platform: keyof typeof imageHosts,
  address: string | null,
  ownBaseUrl: string | null = null,
): string[][] {
  const url = URL.parse(address ?? '')
  if (url?.protocol !== 'https:' || url.port !== '') return []
  if (!imageHosts[platform].test(url.hostname)) return []
  return [[ownBaseUrl === null ? url.href : `${ownBaseUrl}${url.pathname}${url.search}`]]
}

function ofAlpha(appId: number, address: string | null, addresses: Addresses): WantedImage {
  const files = ['header.jpg', 'capsule_616x353.jpg'].map((file) =>
    addresses.alphaBaseUrls.map((base) => `${base}/${appId}/${file}`),
  )
  const named = addresses.isOwnAlpha ? [] : recorded('alpha', address)
  return { key: `alpha:${appId}`, sources: [...named, ...files] }
}

type Title = TitleRow & { service: string }

/** The images of one title's game; several where a better one may be missing. */
function imagesOf(title: Title, addresses: Addresses): WantedImage[] {
  const game = gameOf(title.titleKey, title.service, title)
  if (game.kind === 'service') return []
  if (game.kind === 'alpha') {
    return game.isUnknown ? [] : [ofAlpha(game.appId, title.imageUrl, addresses)]
  }
  const slug = slugOf(game.name)
  const alphaAppId = alphaOf(slug)
  const better = alphaAppId === null ? [] : [ofAlpha(alphaAppId, null, addresses)]
  if (game.kind === 'beta') {
    const own = recorded('beta', title.imageUrl, addresses.betaBaseUrl)
    const sources = [...better.flatMap((one) => one.sources), ...own]
    return sources.length === 0 ? [] : [{ key: `beta:${game.betaAppId}`, sources }]
  }
  const service = nameServiceOf(game.service)
  // A name of symbols alone has no address, and would share its image with the others.
  if (service === null || slug === '') return []
  const sources =
    service === 'xbox' ? recorded('epsilon', title.imageUrl, addresses.epsilonBaseUrl) : []
  return sources.length === 0 ? better : [...better, { key: `${service}:${slug}`, sources }]
}

const namedTitles = (history: History): Promise<Title[]> =>
  history.read(async (_db, sql) => [
    ...(await sql<Title[]>`
      SELECT title_key AS "titleKey", service, game_name AS "gameName",
        game_app_id::float8 AS "gameAppId", beta_app_id AS "betaAppId",
        depot_id::float8 AS "depotId", image_url AS "imageUrl"
      FROM titles
      WHERE game_name IS NOT NULL
        AND EXISTS (SELECT 1 FROM downloads WHERE downloads.title_key = titles.title_key)
      ORDER BY updated_at DESC LIMIT ${titlesMax}`),
  ])

/** Apps per question. */
const appsMax = 1000

/** Where an app of Steam has no image of its own, that of the game that it belongs to is used. */
async function withParents(
  images: WantedImage[],
  { addresses, catalogue }: WantedParts,
): Promise<WantedImage[]> {
  const appIds = images.flatMap(({ key }) =>
    key.startsWith('alpha:') ? [Number(key.slice('alpha:'.length))] : [],
  )
  const parents = new Map<string, number>()
  for (const some of inSlices(appIds, appsMax)) {
    const found = await catalogue.parents(some).catch(() => [])
    for (const { appId, parentId } of found) parents.set(`alpha:${appId}`, parentId)
  }
  return images.map((image) => {
    const parentId = parents.get(image.key)
    if (parentId === undefined) return image
    const { sources } = ofAlpha(parentId, null, addresses)
    return { ...image, sources: [...image.sources, ...sources] }
  })
}

/** What the images are found with. */
export interface WantedParts {
  history: History
  addresses: Addresses
  catalogue: Pick<CatalogueEngine, 'parents'>
}

/** The images of all games with downloads and a name. Rejects with HistoryUnavailable. */
export async function wantedImages(parts: WantedParts): Promise<WantedImage[]> {
  const { history, addresses } = parts
  const wanted = new Map<string, WantedImage>()
  for (const title of await namedTitles(history)) {
    for (const image of imagesOf(title, addresses)) {
      const known = wanted.get(image.key)
      // Depots of one game differ in whether the store was asked for an address.
      if (known === undefined || known.sources.length < image.sources.length) {
        wanted.set(image.key, image)
      }
    }
  }
  return withParents([...wanted.values()], parts)
}
