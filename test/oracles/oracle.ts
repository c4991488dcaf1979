import { expect } from 'bun:test'
import { createHash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { seededRandom } from '../../src/demo/random.ts'
import { tempFolder } from '../support/temp-folder.ts'

/** Made from `requirements.txt`; see CONTRIBUTING.md. */
const python = join(import.meta.dir, '../../node_modules/.python/bin/python')

interface OracleChunk {
  /** 64 hex digits, of which each platform's format uses some. */
  digest: string
  bytes: number
  /** As Epic's packages calculate it. */
  group: number
}

/** A version of a game, from which every platform's manifest can be written. */
export interface Model {
  name: string
  chunks: OracleChunk[]
  /** Chunks by their index, some of them in several files; `languages`: a bit for each. */
  files: { name: string; chunks: number[]; languages: number }[]
  /** Chunks by their index, some of them in several bundles. */
  bundles: number[][]
  languages: string[]
}

/** Chunks of most versions, which come in pairs: a version and its update. */
const smallSizes = [
  0, 1, 2, 3, 5, 7, 16, 31, 40, 63, 64, 65, 100, 127, 128, 129, 200, 255, 256, 257, 300, 400,
]
const sizes = [...smallSizes, 600, 1000, 2500]

function chunkOf(name: string): OracleChunk {
  const hash = createHash('sha256').update(name).digest()
  // The numbers of a GUID have their lowest byte first.
  const guid = Buffer.from(hash.subarray(0, 16)).swap32()
  const bytes = hash[31] === 0 ? 0 : hash.readUInt32LE(24) % 1_100_000
  return { digest: hash.toString('hex'), bytes, group: crc32(guid) % 100 }
}

function modelOf(seed: number, count: number, isUpdate: boolean): Model {
  const random = seededRandom(seed)
  const changed = (index: number) => (isUpdate && index % 10 === 3 ? ' changed' : '')
  const chunks = Array.from({ length: count }, (_, index) =>
    chunkOf(`${seed} ${index}${changed(index)}`),
  ).filter((_, index) => !isUpdate || index % 17 !== 5)

  /** Indexes in groups, a fifth of which repeat an earlier one. */
  function groups(largest: number): number[][] {
    const found: number[][] = []
    for (let at = 0; at < chunks.length;) {
      const end = Math.min(chunks.length, at + random.between(1, largest))
      const group = Array.from({ length: end - at }, (_, index) => at + index)
      if (at > 0 && random.between(1, 5) === 1) group.push(random.between(0, at - 1))
      found.push(group)
      at = end
    }
    return found
  }
  const languages = random.pick([['en_us', 'de_de'], ['de_de', 'en_us'], ['de_de']])
  const largest = count > 10_000 ? 200 : 8
  const files = [[], ...groups(largest), []].map((list, index) => ({
    name: `data/${index % 3}/file ${index}.bin`,
    chunks: list,
    languages: index % 3 === 0 ? random.between(1, 2 ** languages.length - 1) : 0,
  }))
  const name = `${seed}${isUpdate ? '-update' : ''}`
  return { name, chunks, files, bundles: groups(largest), languages }
}

/** Versions with up to this many chunks; most are small, and the largest counts beyond 16 bits. */
export const models = (largest: number): Model[] =>
  [...sizes, 10_000, 66_000]
    .filter((count) => count <= largest)
    .flatMap((count, seed) =>
      [false, true].flatMap((isUpdate) =>
        // The largest ones once.
        isUpdate && count > 2500 ? [] : modelOf(seed, count, isUpdate),
      ),
    )

interface Format<M extends Model> {
  /** The script beside this file. */
  script: string
  encode: (model: M) => Buffer
  read: (file: Buffer) => object[]
}

const lines = (objects: object[]) => objects.map((one) => `${JSON.stringify(one)}\n`).join('')

/** What a script prints; it must not fail. */
export async function outputOf(script: string, args: string[]): Promise<string> {
  const child = Bun.spawn([python, join(import.meta.dir, script), ...args], {
    stderr: 'pipe',
    env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1' },
  })
  const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()])
  expect({ exitCode: await child.exited, err }).toEqual({ exitCode: 0, err: '' })
  return out
}

/** Fails for versions whose objects the script and our reader list differently. */
async function compare(folder: string, read: (file: Buffer) => object[], count: number) {
  const names = readdirSync(folder).filter((name) => name.endsWith('.bin'))
  expect(names).toHaveLength(count)
  const found: string[] = []
  for (const name of names) {
    const file = Buffer.from(await Bun.file(join(folder, name)).arrayBuffer())
    const theirs = await Bun.file(join(folder, name.replace(/bin$/, 'jsonl'))).text()
    if (lines(read(file)) !== theirs) found.push(name)
  }
  expect(found).toEqual([])
}

/** Holds our reader against a script that other people's packages read and write with. */
export function oracle<M extends Model>({ script, encode, read }: Format<M>) {
  const folder = tempFolder('oracle')
  return {
    /** Files that the script writes, read by both. */
    async ofScript(versions: readonly M[]) {
      for (const model of versions) {
        await Bun.write(join(folder, 'theirs', `${model.name}.json`), JSON.stringify(model))
      }
      await outputOf(script, ['write', join(folder, 'theirs')])
      await compare(join(folder, 'theirs'), read, versions.length)
    },
    /** Files that our encoder writes, read by both. */
    async ofEncoder(versions: readonly M[]) {
      for (const model of versions) {
        await Bun.write(join(folder, 'ours', `${model.name}.bin`), new Uint8Array(encode(model)))
      }
      await outputOf(script, ['read', join(folder, 'ours')])
      await compare(join(folder, 'ours'), read, versions.length)
    },
  }
}
