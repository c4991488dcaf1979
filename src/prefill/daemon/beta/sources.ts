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

/** The addresses of a manifest, signed ones first. */
export function sourcesOf(manifests: readonly BetaManifest[]): Source[] {
  const isSigned = ({ queryParams = [] }: BetaManifest) =>
    queryParams.some(({ name }) => name === signature)
  const ordered = [...manifests.filter(isSigned), ...manifests.filter((one) => !isSigned(one))]
  return ordered.slice(0, sourcesMax).flatMap(({ uri, queryParams = [] }) => {
    const query = queryParams.map(({ name, value }) => `${name}=${value}`).join('&')
    const place = basePathOf(uri)
    const url = URL.parse(query === '' ? uri : `${uri}${uri.includes('?') ? '&' : '?'}${query}`)
    return place === null || url === null ? [] : [{ ...place, url: url.href }]
  })
}
