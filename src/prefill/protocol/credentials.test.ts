import { describe, expect, test } from 'bun:test'
import {
  createKeyPair,
  CredentialError,
  decryptCredential,
  encryptCredential,
} from './credentials.ts'
import { serviceFacts } from '../../platforms/service-facts.ts'

const bytes = (from: number, length: number) => Uint8Array.from({ length }, (_, at) => from + at)

const server = createKeyPair(bytes(0x01, 32))
const client = createKeyPair(bytes(0x21, 32))
const challengeId = '00112233445566778899aabbccddeeff'
const text = 'p@ss-wörd'
const hex = (key: Uint8Array) => Buffer.from(key).toString('hex')

test('public keys are uncompressed points', () => {
  expect(server.publicKey).toBe(
    'BFFcPW6545a5BNP+yn9U/c0MwemXvzddylFa0KbDtANfRTa+OlDzGPv5pUdZAqIhUCvvDVfgjFOyzApW8X2fk1Q=',
  )
  expect(client.publicKey).toBe(
    'BB8UAUa/sbJR+E9N2+DUzc/Xev2YSpUg41eUAh+DErue7JlaCLH6dwTfPcwLUKlmUmP7dxH5X5+KRJxQluR8iSs=',
  )
})

describe.each([
  [
    'alpha',
    'c89226744db8eb7da20b869c45f707e7bb1220e4964c30d9d8af1974d28e666b',
    'NZSqOJgsa5825Q==',
    'k6DDtHgddA3IPaUmJytXvg==',
  ],
  [
    'beta',
    '6258fc7212f1c3903bc04fa395d00681bc0c8ea115f84c909a11aff6454f5606',
    'ydeG0OqQg0QwEQ==',
    'na1zr7T8vlsGMutZVAJy3w==',
  ],
  [
    'epsilon',
    '4a75a276fc311c7874b98888ffe13979409ebcd304e2fdd1a631ea29476a0d38',
    'f+1ae4rugzpqlw==',
    'xwr8AdeFnFC6BbC7bVBbXQ==',
  ],
] as const)('%s', (platform, key, encryptedCredential, tag) => {
  const info = serviceFacts[platform].credentialInfo
  const serverPublicKey = server.publicKey
  const known = {
    challengeId,
    clientPublicKey: client.publicKey,
    encryptedCredential,
    nonce: 'AAECAwQFBgcICQoL',
    tag,
  }

  test('both sides agree on the known key', () => {
    const context = { challengeId, info }
    expect(hex(server.agree(client.publicKey, context))).toBe(key)
    expect(hex(client.agree(server.publicKey, context))).toBe(key)
  })

  test('encrypts and decrypts the known credential', () => {
    const options = { own: client, nonce: bytes(0, 12) }
    const context = { challengeId, info, serverPublicKey }
    expect(encryptCredential(text, context, options)).toEqual(known)
    expect(decryptCredential(known, { own: server, info })).toBe(text)
  })

  test.each([
    { tag: known.nonce },
    { nonce: known.tag },
    { encryptedCredential: 'AAAA' },
    { challengeId: 'ffffffffffffffffffffffffffffffff' },
    { clientPublicKey: server.publicKey },
    { clientPublicKey: Buffer.alloc(65, 4).toString('base64') },
    { clientPublicKey: '' },
  ])('altered by %p: refused without the credential in the error', (change) => {
    const attempt = () => decryptCredential({ ...known, ...change }, { own: server, info })
    expect(attempt).toThrow(CredentialError)
  })
})

test('fresh keys and nonces differ each time', () => {
  const own = createKeyPair()
  const context = { challengeId, info: 'x', serverPublicKey: own.publicKey }
  const [one, other] = [encryptCredential(text, context), encryptCredential(text, context)]
  expect(one.clientPublicKey).not.toBe(other.clientPublicKey)
  expect(one.nonce).not.toBe(other.nonce)
  for (const sent of [one, other]) expect(decryptCredential(sent, { own, info: 'x' })).toBe(text)
})
