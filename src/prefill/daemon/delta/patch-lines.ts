import { Type, type Static } from '@sinclair/typebox'

const Configuration = Type.Object({ id: Type.String(), patch_url: Type.String() })

/** Form of the answer about a product's patch lines, by `keystone.products.<product>.patchlines.live`. */
export const PatchLines = Type.Record(
  Type.String(),
  Type.Object({
    platforms: Type.Object({
      win: Type.Optional(Type.Object({ configurations: Type.Array(Configuration) })),
    }),
  }),
)

/** Where the manifest of a product is, and the name of its version. */
export interface Release {
  manifestUrl: string
  version: string
}

/** The release for Windows: that of North America, else the usual one, else any. Null: none. */
export function releaseOf(lines: Static<typeof PatchLines>, product: string): Release | null {
  const live = lines[`keystone.products.${product}.patchlines.live`]
  const configurations = live?.platforms.win?.configurations ?? []
  const byId = (id: string) => configurations.find((one) => one.id.toLowerCase() === id)
  const manifestUrl = (byId('na') ?? byId('default') ?? configurations[0])?.patch_url
  const url = manifestUrl === undefined ? null : URL.parse(manifestUrl)
  const version = url?.pathname.split('/').at(-1) ?? ''
  if (url === null || !/^https?:$/.test(url.protocol) || version === '') return null
  return { manifestUrl: url.href, version }
}
