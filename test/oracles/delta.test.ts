import { expect, test } from 'bun:test'
import { readManifest } from '../../src/prefill/daemon/delta/manifest.ts'
import { encodeManifest } from '../support/stand-ins/delta.ts'
import { models, oracle, type Model } from './oracle.ts'

const riot = oracle({
  script: 'delta.py',
  encode({ files, chunks, bundles, languages }: Model) {
    const idOf = (index: number) => BigInt(`0x${chunks[index]?.digest.slice(0, 16)}`)
    return encodeManifest({
      languages: languages.map((name, index) => ({ id: index + 1, name })),
      bundles: bundles.map((list, index) => ({
        id: BigInt(index + 1),
        chunks: list.map((one) => ({ id: idOf(one), bytes: chunks[one]?.bytes ?? 0 })),
      })),
      files: files.map((file) => ({
        flags: BigInt(file.languages),
        chunks: file.chunks.map(idOf),
      })),
    })
  },
  read: (file) => readManifest(file, 'en_us'),
})

test('bundles of manifests that `flatbuffers` writes, read by it and by `cdtb`', async () => {
  const versions = models(66_000)
  expect(versions.length).toBeGreaterThanOrEqual(50)
  await riot.ofScript(versions)
})

// Its encoder takes time that grows with the square of the size.
test('bundles of manifests that our encoder writes', () => riot.ofEncoder(models(2500)))
