import { basePathOf, type BetaManifest } from '../../../engines/beta-connection/web.ts'

/** CDNs of one build that are tried. */
const sourcesMax = 8

/** An address of a manifest; the chunks lie below its directory. */
export interface Source {
  url: string
  host: string
  /** Directory of the manifest. */
  path: string
}

/** Parameters of an address that is signed for a CDN, as the launcher prefers it. */
const signature = 'f_token'

/** The addresses of a manifest: those of preferred hosts first, then signed ones. */
export function sourcesOf(
  manifests: readonly BetaManifest[],
  preferredHosts: readonly string[] = [],
): Source[] {
  const isSigned = ({ queryParams = [] }: BetaManifest) =>
    queryParams.some(({ name }) => name === signature)
  const rankOf = ({ host }: Source) =>
    preferredHosts.includes(host) ? preferredHosts.indexOf(host) : preferredHosts.length
  return [...manifests.filter(isSigned), ...manifests.filter((one) => !isSigned(one))]
    .flatMap(({ uri, queryParams = [] }) => {
      const query = queryParams.map(({ name, value }) => `${name}=${value}`).join('&')
      const place = basePathOf(uri)
      const url = URL.parse(query === '' ? uri : `${uri}${uri.includes('?') ? '&' : '?'}${query}`)
      return place === null || url === null ? [] : [{ ...place, url: url.href }]
    })
    .toSorted((one, other) => rankOf(one) - rankOf(other))
    .slice(0, sourcesMax)
}
