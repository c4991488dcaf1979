import { expect, test } from 'bun:test'
import { readManifest } from '../../src/prefill/daemon/alpha/manifest.ts'
import { encodeManifest } from '../support/alpha-manifest.ts'
import { models, oracle, type Model } from './oracle.ts'

const steam = oracle({
  script: 'alpha.py',
  encode: ({ files, chunks }: Model) =>
    encodeManifest(
      files.map((file) =>
        file.chunks.flatMap((index) => {
          const { digest = '', bytes = 0 } = chunks[index] ?? {}
          return { name: digest, bytes }
        }),
      ),
    ),
  read: readManifest,
})

test('chunks of manifests that the package `steam` writes', async () => {
  const versions = models(66_000)
  expect(versions.length).toBeGreaterThanOrEqual(50)
  await steam.ofScript(versions)
})

test('chunks of manifests that our encoder writes', () => steam.ofEncoder(models(10_000)))
