import { Type, type Static, type TSchema } from '@sinclair/typebox'

/** The service omits what it does not have, or says null. */
const maybe = <T extends TSchema>(form: T) => Type.Optional(Type.Union([form, Type.Null()]))

/** What to ask the sieve service for: releases of a set, and which of them is meant. */
const Sieve = Type.Object({
  version_set: Type.String(),
  parameters: Type.Object({ artifact_type_id: Type.String(), platform: Type.String() }),
})
export type Sieve = Static<typeof Sieve>

const Configuration = Type.Object({
  id: Type.String(),
  patch_url: Type.String(),
  patch_artifacts: maybe(Type.Array(Type.Object({ patchsieve: maybe(Sieve) }))),
  secondary_patchlines: maybe(
    Type.Array(Type.Object({ id: Type.String(), url: maybe(Type.String()) })),
  ),
})

/** Form of the answer about a product's patch lines, by `keystone.products.<product>.patchlines.live`. */
export const PatchLines = Type.Record(
  Type.String(),
  Type.Object({
    platforms: Type.Object({
      win: Type.Optional(Type.Object({ configurations: Type.Array(Configuration) })),
    }),
  }),
)

const Label = maybe(Type.Object({ values: Type.Array(Type.String()) }))

/** Form of the sieve service's answer about a version set. */
export const VersionSet = Type.Object({
  releases: Type.Array(
    Type.Object({
      release: Type.Object({
        labels: Type.Object({
          'riot:artifact_type_id': Label,
          'riot:artifact_version_id': Label,
          platform: Label,
        }),
      }),
      download: maybe(Type.Object({ url: Type.String() })),
    }),
  ),
})

/** A manifest on the content server, and the name of its version. */
export interface ManifestPlace {
  url: string
  version: string
}

/** Null: not the address of a file. */
function manifestAt(text: string | null | undefined): ManifestPlace | null {
  const url = URL.parse(text ?? '')
  const version = url?.pathname.split('/').at(-1) ?? ''
  if (url === null || !/^https?:$/.test(url.protocol) || version === '') return null
  return { url: url.href, version }
}

/** What a product consists of: a manifest that is named outright, and those to ask for. */
export interface PatchLine {
  manifests: ManifestPlace[]
  sieves: Sieve[]
}

/**
 * The patch line for Windows: that of North America, else the usual one, else any. `patch_url` of
 * League of Legends is only its launcher; the game is found with a sieve. The game that the secondary
 * patch lines name is old: it counts only where there is no sieve. Null: there is no release.
 */
export function patchLineOf(lines: Static<typeof PatchLines>, product: string): PatchLine | null {
  const live = lines[`keystone.products.${product}.patchlines.live`]
  const configurations = live?.platforms.win?.configurations ?? []
  const byId = (id: string) => configurations.find((one) => one.id.toLowerCase() === id)
  const line = byId('na') ?? byId('default') ?? configurations[0]
  const manifest = manifestAt(line?.patch_url)
  if (line === undefined || manifest === null) return null
  const artifacts = line.patch_artifacts ?? []
  const sieves = artifacts.flatMap(({ patchsieve }) => patchsieve ?? [])
  if (sieves.length > 0) return { manifests: [manifest], sieves }
  const game = line.secondary_patchlines?.find(({ id }) => id === 'game_patch')
  const old = manifestAt(game?.url)
  return { manifests: old === null ? [manifest] : [manifest, old], sieves }
}

const byNumbers = new Intl.Collator('en', { numeric: true })

/** The newest release of a version set that the sieve lets through. Null: there is none. */
export function newestOf(
  { releases }: Static<typeof VersionSet>,
  { artifact_type_id, platform }: Sieve['parameters'],
): ManifestPlace | null {
  const versionOf = ({ release: { labels } }: (typeof releases)[number]) =>
    labels['riot:artifact_version_id']?.values[0]?.replace(/\+.*$/, '') ?? ''
  const matching = releases.filter(
    ({ release: { labels } }) =>
      labels['riot:artifact_type_id']?.values.includes(artifact_type_id) === true &&
      labels.platform?.values.includes(platform) === true,
  )
  const [newest] = matching.toSorted((a, b) => byNumbers.compare(versionOf(b), versionOf(a)))
  return manifestAt(newest?.download?.url)
}
