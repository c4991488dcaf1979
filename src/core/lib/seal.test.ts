import { beforeEach, describe, expect, test } from 'bun:test'
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { SealError, sealerAt, sealerFor } from './seal.ts'

const key = new Uint8Array(32).fill(7)
const sealer = sealerFor(key)
const secret = 'a refresh token, ünïcode and\nlines'

describe('sealing', () => {
  test.each(['', 'x', secret, 'y'.repeat(100_000)])('opens its own sealed texts', (text) => {
    expect(sealer.open('alpha.token', sealer.seal('alpha.token', text))).toBe(text)
  })

  test('never produces equal texts, and never shows the secret', () => {
    const [one, two] = [sealer.seal('name', secret), sealer.seal('name', secret)]
    expect(one).not.toBe(two)
    expect(one).toMatch(/^v1\.[\w-]{16}\.[\w-]+$/)
    for (const encoding of ['utf8', 'base64', 'base64url', 'hex'] as const) {
      expect(one).not.toContain(Buffer.from(secret).toString(encoding))
    }
  })

  const refused = (name: string, sealed: string, other = sealer) => {
    expect(() => other.open(name, sealed)).toThrow(SealError)
  }

  test('refuses another name, another key, and every altered byte', () => {
    const sealed = sealer.seal('alpha.token', secret)
    refused('beta.token', sealed)
    refused('alpha.token', sealed, sealerFor(new Uint8Array(32).fill(8)))
    const [version = '', nonce = '', body = ''] = sealed.split('.')
    const bytes = Buffer.from(body, 'base64url')
    for (let at = 0; at < bytes.length; at++) {
      const altered = Buffer.from(bytes)
      altered.writeUInt8(altered.readUInt8(at) ^ 1, at)
      refused('alpha.token', [version, nonce, altered.toString('base64url')].join('.'))
    }
    refused('alpha.token', [version, 'A'.repeat(16), body].join('.'))
  })

  test.each([
    '',
    'v1',
    'v1..',
    'v2.AAAAAAAAAAAAAAAA.AAAAAAAAAAAAAAAAAAAAAAAA',
    'plain text',
    'v1.A.B',
  ])('refuses %p', (text) => refused('name', text))

  test('states the problem without the content', () => {
    const sealed = sealer.seal('alpha.token', secret)
    const other = sealerFor(new Uint8Array(32))
    expect(() => other.open('alpha.token', sealed)).toThrow(
      'alpha.token: sealed with another key, or altered since',
    )
  })

  test('accepts keys of 32 bytes only', () => {
    expect(() => sealerFor(new Uint8Array(16))).toThrow(SealError)
  })
})

describe('the key file', () => {
  let folder: string
  let path: string
  beforeEach(() => {
    folder = tempFolder('seal')
    path = join(folder, 'security', 'seal.key')
  })

  test('is created once, for the owner only, and reused', () => {
    const sealed = sealerAt(path).seal('name', secret)
    const first = readFileSync(path, 'utf8')
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(sealerAt(path).open('name', sealed)).toBe(secret)
    expect(readFileSync(path, 'utf8')).toBe(first)
  })

  test('is not created before it is needed', () => {
    sealerAt(path)
    expect(() => statSync(path)).toThrow()
  })

  test.each(['not a key', 'A'.repeat(42), `${'A'.repeat(43)}!`])(
    'containing %p is refused, with its path',
    (text) => {
      mkdirSync(join(folder, 'security'))
      writeFileSync(path, text)
      expect(() => sealerAt(path).seal('name', secret)).toThrow(path)
      expect(readFileSync(path, 'utf8')).toBe(text)
    },
  )

  test('that cannot be created is a specific error', () => {
    writeFileSync(join(folder, 'security'), 'a file where the directory should be')
    expect(() => sealerAt(path).seal('name', secret)).toThrow(SealError)
  })
})
