import { createHash } from 'node:crypto'
import { crc32, deflateRawSync } from 'node:zlib'
import messages from 'steam-user/protobufs/generated/_load.js'
import type { Message } from './stand-ins/alpha.ts'

const protocol = messages as Record<string, Message>

/** A chunk by any name, and its compressed size. */
export interface PracticeChunk {
  name: string
  bytes: number
}

export const chunkId = ({ name }: PracticeChunk): string =>
  createHash('sha1').update(name).digest('hex')

function section(magic: number, body: Uint8Array): Buffer {
  const head = Buffer.alloc(8)
  head.writeUInt32LE(magic)
  head.writeUInt32LE(body.length, 4)
  return Buffer.concat([head, body])
}

/** A depot's manifest before it is packed; `files` are lists of chunks. */
export function manifestSections(files: PracticeChunk[][]): Buffer {
  const mappings = files.map((chunks, index) => ({
    filename: `file-${index}`,
    size: chunks.reduce((sum, { bytes }) => sum + bytes, 0),
    flags: 0,
    sha_content: Buffer.alloc(20, index),
    chunks: chunks.map((chunk) => ({
      sha: Buffer.from(chunkId(chunk), 'hex'),
      crc: 7,
      offset: 0,
      cb_original: chunk.bytes * 2,
      cb_compressed: chunk.bytes,
    })),
  }))
  const encoded = protocol['ContentManifestPayload']?.encode({ mappings }).finish()
  if (encoded === undefined) throw new Error('no message ContentManifestPayload')
  return Buffer.concat([
    section(0x71f617d0, encoded),
    section(0x1f4812be, Buffer.from([8, 11])),
    section(0x1b81b817, Buffer.alloc(0)),
    Buffer.from('ab15c432', 'hex'),
  ])
}

/** An archive with one file, as content servers send manifests. */
export function zipped(data: Buffer): Buffer {
  const packed = deflateRawSync(data)
  const name = Buffer.from('z')
  // From the version to the length of the name, the same in the entry and in the directory.
  const facts = Buffer.alloc(26)
  facts.writeUInt16LE(20, 0)
  facts.writeUInt16LE(8, 4)
  facts.writeUInt32LE(crc32(data), 10)
  facts.writeUInt32LE(packed.length, 14)
  facts.writeUInt32LE(data.length, 18)
  facts.writeUInt16LE(name.length, 22)
  const entry = Buffer.concat([Buffer.from('PK\x03\x04'), facts, name, packed])
  const directory = Buffer.concat([
    Buffer.from('PK\x01\x02'),
    Buffer.from([20, 0]),
    facts,
    Buffer.alloc(14),
    name,
  ])
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06')
  end.writeUInt16LE(1, 8)
  end.writeUInt16LE(1, 10)
  end.writeUInt32LE(directory.length, 12)
  end.writeUInt32LE(entry.length, 16)
  return Buffer.concat([entry, directory, end])
}

export const encodeManifest = (files: PracticeChunk[][]): Buffer => zipped(manifestSections(files))
