import { parseSize } from '../../core/lib/size.ts'

/** Cache settings from the proxy's note. */
export interface ProxyNote {
  /** Slice size in bytes; 0 when slicing is off. */
  sliceBytes: number
  /** The key's recipe in nginx variables, verbatim. */
  keyRecipe: string
}

const stockRecipe = '$cacheidentifier$uri$slice_range'
const noteMark = /(?:^|;)GENERICCACHE_VERSION=\d+;/
const digest = /^[0-9a-f]{32}$/i

/** Slice sizes tried against a digest, as written in a settings file. */
const likelySizes = (
  '0 256k 512k 1m 2m 3m 4m 5m 6m 8m 10m 12m 15m 16m 20m 24m 25m 30m 32m 40m 48m 50m 64m ' +
  '100m 128m 200m 256m 512m 1g'
).split(' ')

function field(text: string, name: string): string | null {
  const [, value] = new RegExp(`(?:^|;)${name}=([^;]*)`).exec(text) ?? []
  return value ?? null
}

function noteOf(size: string, keyRecipe: string): ProxyNote | null {
  const bytes = parseSize(size)
  if (bytes === null) return null
  return { sliceBytes: keyRecipe.includes('$slice_range') ? bytes : 0, keyRecipe }
}

/** Every text that the extended proxy may have hashed, for one slice size. */
function* textsFor(size: string): Generator<string> {
  const version = 'GENERICCACHE_VERSION=2;CACHE_MODE=monolithic;'
  const slice = `CACHE_SLICE_SIZE=${size};`
  const key = `CACHE_KEY=${stockRecipe};`
  for (const fallback of ['NOSLICE_FALLBACK=false;', 'NOSLICE_FALLBACK=true;', '']) {
    yield `${version}${slice}${key}${fallback}`
    yield `${version}${slice}${fallback}${key}`
    yield `${version}${fallback}${slice}${key}`
    yield `${fallback}${version}${slice}${key}`
  }
}

const md5 = (text: string) => new Bun.CryptoHasher('md5').update(text).digest('hex')

function noteOfDigest(wanted: string): ProxyNote | null {
  for (const size of likelySizes) {
    for (const text of textsFor(size)) {
      const isIt = [text, `${text}\n`, text.slice(0, -1)].some((form) => md5(form) === wanted)
      if (isIt) return noteOf(size, stockRecipe)
    }
  }
  return null
}

/**
 * Reads `CONFIGHASH`: the stock proxy's plain line, or the extended proxy's digest of it, which is
 * matched by trying the slice sizes in use. Null when it is neither.
 */
export function readConfigHash(text: string): ProxyNote | null {
  const line = text.trim()
  if (digest.test(line)) return noteOfDigest(line.toLowerCase())
  if (!noteMark.test(line)) return null
  const size = field(line, 'CACHE_SLICE_SIZE')
  const recipe = field(line, 'CACHE_KEY')
  return size === null || recipe === null ? null : noteOf(size, recipe)
}
