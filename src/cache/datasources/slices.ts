import type { KeySample } from '../../engines/disk/contract.ts'
import { readConfigHash } from './config-hash.ts'
import type { KeyScheme, SliceSource } from './contract.ts'

/** Slice size of the stock proxy in bytes; also the default. */
export const defaultSliceBytes = 1_048_576
/** This many whole objects, and no slices, mean that slicing is off. */
const wholeFilesMin = 4

export interface Slices {
  sliceBytes: number
  isSliced: boolean
  sliceSource: SliceSource
  keyRecipe: string | null
}

const of = (bytes: number, sliceSource: SliceSource, keyRecipe: string | null): Slices => ({
  sliceBytes: bytes > 0 ? bytes : defaultSliceBytes,
  isSliced: bytes > 0,
  sliceSource,
  keyRecipe,
})

/** The slice size that most sampled keys indicate, if any. */
function sizeOfKeys(sample: KeySample, scheme: KeyScheme): number | null {
  const [first] = sample.slices.toSorted((a, b) => b[1] - a[1])
  if (first !== undefined) return first[0]
  // Per-service proxies slice some services and store others whole.
  return scheme === 'monolithic' && sample.wholeFiles >= wholeFilesMin ? 0 : null
}

/** The first known value: the setting, the proxy's note, the keys in the cache, the default. */
export function slicesOf(known: {
  setting: number | null
  configHash: string | null
  sample: KeySample | null
  scheme: KeyScheme
}): Slices {
  const note = known.configHash === null ? null : readConfigHash(known.configHash)
  const keyRecipe = note?.keyRecipe ?? null
  if (known.setting !== null) return of(known.setting, 'setting', keyRecipe)
  if (note !== null) return of(note.sliceBytes, 'confighash', keyRecipe)
  const bytes = known.sample === null ? null : sizeOfKeys(known.sample, known.scheme)
  return bytes === null ? of(defaultSliceBytes, 'default', null) : of(bytes, 'keys', null)
}
