import { Type, type Static } from '@sinclair/typebox'

export const StoreImage = Type.Object({
  Uri: Type.String({ maxLength: 2000 }),
  ImagePurpose: Type.String(),
  Width: Type.Optional(Type.Number()),
})
type StoreImage = Static<typeof StoreImage>

/** Best first. */
const purposes = [
  'SuperHeroArt',
  'Hero',
  'BrandedKeyArt',
  'TitledHeroArt',
  'FeaturePromotionalSquareArt',
  'Poster',
  'BoxArt',
  'Logo',
]

/** Address of a banner, 460 pixels wide; null: the product has none. */
export function bannerOf(images: readonly StoreImage[]): string | null {
  const widest = images.toSorted((a, b) => (b.Width ?? 0) - (a.Width ?? 0))[0]
  const best = purposes.flatMap((wanted) =>
    images.filter(({ ImagePurpose }) => ImagePurpose === wanted),
  )[0]
  const uri = (best ?? widest)?.Uri ?? ''
  const url = URL.parse(uri.startsWith('//') ? `https:${uri}` : uri)
  if (url?.protocol !== 'https:') return null
  url.search = 'w=460&q=90&format=jpg'
  return url.href
}
