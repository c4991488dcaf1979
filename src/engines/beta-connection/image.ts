import { Type, type Static } from '@sinclair/typebox'

export const KeyImage = Type.Object({
  type: Type.String(),
  url: Type.String({ maxLength: 2000 }),
  width: Type.Optional(Type.Number()),
  height: Type.Optional(Type.Number()),
})
type KeyImage = Static<typeof KeyImage>

/** Kinds that are banners by themselves, best first. */
const banners = ['DieselStoreFrontWide', 'OfferImageWide', 'DieselGameBoxWide']

const shapeOf = ({ width = 0, height = 0 }: KeyImage) => (height > 0 ? width / height : 0)

function bannerOf(images: readonly KeyImage[]): KeyImage | undefined {
  for (const wanted of banners) {
    const found = images.find(({ type }) => type === wanted)
    if (found !== undefined) return found
  }
  const box = images.find((image) => image.type === 'DieselGameBox' && shapeOf(image) > 1)
  const featured = images.find(({ type }) => type === 'Featured')
  return box ?? featured ?? images.toSorted((a, b) => shapeOf(b) - shapeOf(a))[0]
}

/**
 * The most banner-like image of a game; Epic's image server is asked for one of 640 x 360. Null: the
 * game has none that is served over HTTPS.
 */
export function imageOf(images: readonly KeyImage[]): string | null {
  const url = URL.parse(bannerOf(images)?.url ?? '')
  if (url?.protocol !== 'https:') return null
  const isEpic = url.hostname === 'epicgames.com' || url.hostname.endsWith('.epicgames.com')
  if (isEpic && !url.searchParams.has('resize')) {
    for (const [name, value] of Object.entries({ w: '640', h: '360', resize: '1' })) {
      url.searchParams.set(name, value)
    }
  }
  return url.href
}
