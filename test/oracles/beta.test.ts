import { expect, test } from 'bun:test'
import { readManifest } from '../../src/prefill/daemon/beta/manifest.ts'
import { encodeBinary, encodeManifest, encodePayload } from '../support/stand-ins/beta-manifest.ts'
import { models, oracle, type Model } from './oracle.ts'

interface BetaModel extends Model {
  isJson: boolean
  /** Feature level; null: the manifest names none. */
  level: number | null
  isCompressed: boolean
}

const epic = oracle({
  script: 'beta.py',
  encode({ files, isJson, level, isCompressed, chunks: listed }: BetaModel) {
    const chunks = listed.map(({ digest, bytes, group }) => ({
      guid: digest.slice(0, 32).toUpperCase(),
      hash: digest.slice(32, 48).toUpperCase(),
      group,
      bytes,
    }))
    if (isJson) return encodeManifest({ chunks, files, jsonVersion: level })
    return encodeBinary(encodePayload({ chunks, files, level: level ?? 0 }), { isCompressed })
  },
  read: readManifest,
})

/** Each version in one of the forms that the package writes. */
function binaries(largest: number): BetaModel[] {
  const levels = [1, 2, 3, 5, 6, 12, 13, 14, 15, 17, 18, 19, 20, 21]
  return models(largest).map((model, index) => {
    const isCompressed = index % 2 === 0
    const level = isCompressed ? 18 + (index % 4) : (levels[index % levels.length] ?? 18)
    return { ...model, isJson: false, level, isCompressed }
  })
}

function jsons(largest: number): BetaModel[] {
  const levels = [null, 1, 2, 3, 5, 6, 11, 12, 13, 14, 15, 18]
  return models(largest).map((model, index) => {
    const level = levels[index % levels.length] ?? null
    return { ...model, name: `json-${model.name}`, isJson: true, level, isCompressed: false }
  })
}

test('chunks of manifests that the package `legendary-gl` writes, and of JSON ones that it reads', async () => {
  const versions = [...binaries(66_000), ...jsons(10_000)]
  expect(versions.length).toBeGreaterThanOrEqual(100)
  await epic.ofScript(versions)
})

test('chunks of manifests that our encoder writes', () =>
  epic.ofEncoder([...binaries(10_000), ...jsons(10_000)]))
