import { describe, expect, test } from 'bun:test'
import { configHash } from '../../demo/cache-generator.ts'
import { readConfigHash } from './config-hash.ts'

const stock = '$cacheidentifier$uri$slice_range'
const line = (size: string, recipe = stock) =>
  `GENERICCACHE_VERSION=2;CACHE_MODE=monolithic;CACHE_SLICE_SIZE=${size};CACHE_KEY=${recipe};`
const md5 = (text: string) => new Bun.CryptoHasher('md5').update(text).digest('hex')

describe('the plain-text line', () => {
  test('of the stock proxy', () => {
    expect(readConfigHash(configHash)).toEqual({ sliceBytes: 1_048_576, keyRecipe: stock })
    expect(readConfigHash(line('10m'))?.sliceBytes).toBe(10_485_760)
  })

  test('without slices', () => {
    expect(readConfigHash(line('1m', '$cacheidentifier$uri'))?.sliceBytes).toBe(0)
    expect(readConfigHash(line('0'))?.sliceBytes).toBe(0)
  })

  test.each([
    '',
    'x',
    line('many'),
    'CACHE_SLICE_SIZE=1m;CACHE_KEY=$uri;',
    line('1m').slice(0, 60),
  ])('%p is rejected', (text) => expect(readConfigHash(text)).toBeNull())
})

describe("the extended proxy's digest", () => {
  test.each([
    ['fallback on, at the end', `${line('1m')}NOSLICE_FALLBACK=true;`, 1_048_576],
    ['fallback off', `${line('8m')}NOSLICE_FALLBACK=false;`, 8_388_608],
    [
      'before the key',
      'GENERICCACHE_VERSION=2;CACHE_MODE=monolithic;CACHE_SLICE_SIZE=5m;NOSLICE_FALLBACK=true;' +
        `CACHE_KEY=${stock};\n`,
      5_242_880,
    ],
  ])('%s', (_, text, bytes) => expect(readConfigHash(`${md5(text)}\n`)?.sliceBytes).toBe(bytes))

  test('of anything else yields nothing', () => {
    expect(readConfigHash(md5('something else'))).toBeNull()
  })
})
