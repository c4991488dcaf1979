import { join } from 'node:path'
import type { CacheContent } from '../contract.ts'
import { digestOf, dirOfDigest, pathOfDigest } from '../format/key.ts'
import { keyFormatOf, keysAt } from '../format/key-scheme.ts'
import { turn, type CacheSession } from './session.ts'

/** Contents looked up before yielding to other jobs. */
const batch = 100

/**
 * Paths of the first cache files of contents' sample URLs, where indexed. A few look-ups by key
 * each; listing all files of a content would scan the index instead.
 */
export async function samplePaths(
  session: CacheSession,
  contents: readonly Pick<CacheContent, 'id' | 'datasource' | 'tag' | 'sampleUris'>[],
): Promise<Record<number, string[]>> {
  const paths: Record<number, string[]> = {}
  for (const [index, { id, datasource, tag, sampleUris }] of contents.entries()) {
    if (index % batch === batch - 1) await turn()
    const root = session.rootOf(datasource)
    const format = root === null ? null : keyFormatOf(root.scheme, tag)
    if (root === null || format === null) continue
    const digests = sampleUris.flatMap((uri) => {
      const keys = keysAt(format, uri, 0, root.sliceBytes)
      const found = keys.map(digestOf).find((digest) => {
        return session.store.hasFile(root.id, dirOfDigest(digest), Buffer.from(digest, 'hex'))
      })
      return found === undefined ? [] : [found]
    })
    paths[id] = digests.map((digest) => join(root.path, pathOfDigest(digest)))
  }
  return paths
}
