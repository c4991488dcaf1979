import { join } from 'node:path'
import type { CacheContent } from '../contract.ts'
import { digestOf, dirOfDigest, pathOfDigest } from '../format/key.ts'
import { keysOf } from './presence.ts'
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
    if (root === null) continue
    const digests = sampleUris.flatMap((uri) => {
      const keys = keysOf(root, { datasource, tag, uri, firstByte: 0 }) ?? []
      const found = keys.map(digestOf).find((digest) => {
        return session.store.hasFile(root.id, dirOfDigest(digest), Buffer.from(digest, 'hex'))
      })
      return found === undefined ? [] : [found]
    })
    paths[id] = digests.map((digest) => join(root.path, pathOfDigest(digest)))
  }
  return paths
}
