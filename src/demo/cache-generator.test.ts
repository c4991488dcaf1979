import { describe, expect, test } from 'bun:test'
import { readFileSync, statSync } from 'node:fs'
import { tempFolder } from '../../test/support/temp-folder.ts'
import { cacheFileBytes, cacheFilePath, sliceKey, writeCacheFile } from './cache-generator.ts'

const chunk = '/depot/434174/chunk/0123456789abcdef0123456789abcdef01234567'
// Keys, digests, checksums and header offsets written by nginx itself.
const vectors: [key: string, digest: string, folders: string, crc: number, start: number][] = [
  [sliceKey('steam', chunk, 0), '6137b601dec7f0ebda2f24f2e8599ca7', 'a7/9c', 0xd39e2f80, 423],
  [sliceKey('steam', chunk, 1), 'f8bc72806c7fecef0971cbf98b273421', '21/34', 0x7f06b9ee, 429],
  [`steam${chunk}`, '3ac1fbc175bf05200513a149a41e2e9d', '9d/2e', 0xc14ce3a0, 408],
  [`steam${chunk}::noslice`, '6cb5bf74a20f6ea2af40cc2c2c040847', '47/08', 0x205866aa, 417],
  [`lancache-steam${chunk}`, '0b586b505e8842825186a17d0234b1f9', 'f9/b1', 0xc03a7152, 417],
  [
    sliceKey('testcdn', '/p/q/s/t u+v?w', 0),
    '8f1c6dbdd9cfee451de93852bbf33b1c',
    '1c/3b',
    0xc0343d4e,
    379,
  ],
  [
    sliceKey('x.unknown.test', '/norange', 0),
    '3a80a6f6eb4b7d007003e0b36ea6faa2',
    'a2/fa',
    0x51748890,
    380,
  ],
  [
    sliceKey('x.unknown.test', '/vary', 0),
    '638889caa1b2f3fb7dc6775aac5cd229',
    '29/d2',
    0xad372ea9,
    377,
  ],
]

describe('cache generator', () => {
  const root = tempFolder('cache')

  test.each(vectors)("%s has nginx's path", (...vector) => {
    const [key, digest, folders, crc, start] = vector
    expect(cacheFilePath(key)).toBe(`${folders}/${digest}`)
    const file = Buffer.from(cacheFileBytes({ key, body: Buffer.from('x'), storedAt: 1 }))
    expect(file.readUInt32LE(48)).toBe(crc)
    expect(file.readUInt16LE(54)).toBe(start)
    expect(file.subarray(336, start).toString()).toBe(`\nKEY: ${key}\n`)
  })

  test('a 10 MiB slice has the published name', () => {
    const path = '/depot/529345/chunk/c8e5d44ca8618200552eb754ff6f6922c92a54ff'
    expect(cacheFilePath(sliceKey('steam', path, 0, 10_485_760))).toBe(
      'db/a0/22e7d56f787714bc78e23495d93da0db',
    )
  })

  test('writes the same first bytes as nginx', () => {
    const path = writeCacheFile(root, {
      key: 'x.unknown.test/norangebytes=0-1048575',
      body: Buffer.alloc(5000),
      storedAt: 0x6b00c131,
      validSeconds: 0x7d561d31 - 0x6b00c131,
      etag: '"n1"',
      // 380 + 126 + 4 = 510, the start of the body in the original.
      head: `HTTP/1.1 200 OK\r\n${'X'.repeat(109)}`,
    })
    const file = readFileSync(path)
    expect(file.subarray(0, 63).toString('hex')).toBe(
      '0500000000000000311d567d0000000000000000000000000000000000000000ffffffffffffffff' +
        '31c1006b000000009088745100007c01fe01' +
        '04226e3122',
    )
    expect(file.length).toBe(510 + 5000)
    expect(statSync(path).mode & 0o777).toBe(0o600)
  })
})
