import { createCipheriv, createDecipheriv } from 'node:crypto'

const algorithm = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16
const tagLength = { authTagLength: tagBytes }
/** Far below what the cipher allows for one key; a new connection has new keys. */
const recordsMax = 2 ** 32

/** The kinds of records. Numbers are on the wire and never change. */
export const kinds = {
  heartbeat: 0,
  part: 1,
  lastPart: 2,
  close: 3,
  /** A whole message, which may come between the parts of another. */
  urgent: 4,
} as const
export type Kind = (typeof kinds)[keyof typeof kinds]
const known: ReadonlySet<number> = new Set(Object.values(kinds))

/** The record's number is its nonce: one that is repeated, moved or left out does not open. */
function nonceOf(number: number): Buffer {
  if (number >= recordsMax) throw new Error('the connection is used up')
  const nonce = Buffer.alloc(nonceBytes)
  nonce.writeUInt32BE(number, nonceBytes - 4)
  return nonce
}

/** Encrypts one direction of a connection. */
export function createSealer(key: Uint8Array) {
  let number = 0
  return (kind: Kind, content: Uint8Array): Buffer => {
    const cipher = createCipheriv(algorithm, key, nonceOf(number++), tagLength)
    const parts = [cipher.update(Buffer.from([kind])), cipher.update(content), cipher.final()]
    return Buffer.concat([...parts, cipher.getAuthTag()])
  }
}

/** Decrypts one direction. Throws for every record but the next one, as it was sent. */
export function createOpener(key: Uint8Array) {
  let number = 0
  return (record: Uint8Array): { kind: Kind; content: Buffer } => {
    if (record.length <= tagBytes) throw new Error('the record is too short')
    const cipher = createDecipheriv(algorithm, key, nonceOf(number++), tagLength)
    cipher.setAuthTag(record.subarray(-tagBytes))
    const plain = Buffer.concat([cipher.update(record.subarray(0, -tagBytes)), cipher.final()])
    const [kind = -1] = plain
    if (!known.has(kind)) throw new Error('the record has an unknown kind')
    // Checked above.
    return { kind: kind as Kind, content: plain.subarray(1) }
  }
}

export type Sealer = ReturnType<typeof createSealer>
export type Opener = ReturnType<typeof createOpener>
