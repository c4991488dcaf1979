import { afterAll, expect, test } from 'bun:test'
import {
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { openCache } from '../../../../db/cache/open.ts'
import { cacheFileBytes, type CacheFileFacts } from '../../../demo/cache-generator.ts'
import type { StructuralIssue, WalkDepth } from '../contract.ts'
import type { Candidate } from './corruption-contract.ts'
import type { ScanMode, StructuralEvidence } from './wire.ts'
import { removeStructural } from './candidates.ts'
import { digestOf, pathOfDigest } from '../format/key.ts'
import { CacheSession } from '../index/session.ts'
import { beginStructural, endStructural, findStructural } from './structural-scan.ts'
import { tempFolder } from '../../../../test/support/temp-folder.ts'
import { walkRoot } from '../index/walk-run.ts'

const fileCount = 12_000
/** Files that a killed scan has checked. */
const killedAfter = 4000
const sliceBytes = 1000
const storedAt = 1_795_000_000
const oldS = Date.now() / 1000 - 86_400
const folder = tempFolder('structural')
const root = join(folder, 'cache')
const roots = [{ datasource: 'default', path: root, scheme: 'monolithic' as const, sliceBytes }]
const context = { progress: () => {}, isCancelled: () => false }
const body = new Uint8Array(10)
const made = new Set<string>()

interface TestFile extends Partial<CacheFileFacts> {
  key: string
  /** File name, if it differs from the hash of the key. */
  name?: string
}

const pathOf = (name: string) => join(root, pathOfDigest(name))

function put(file: TestFile, change: (bytes: Buffer) => Buffer = (bytes) => bytes): string {
  const bytes = Buffer.from(cacheFileBytes({ body, storedAt, ...file }))
  const path = pathOf(file.name ?? digestOf(file.key))
  const directory = dirname(path)
  if (!made.has(directory)) mkdirSync(directory, { recursive: true })
  made.add(directory)
  writeFileSync(path, change(bytes))
  utimesSync(path, oldS, oldS)
  return path
}

const sliceKey = (path: string, slice: number) =>
  `steam${path}bytes=${slice * sliceBytes}-${(slice + 1) * sliceBytes - 1}`
const headOf = (slice: number, total: number, length = body.length) =>
  `HTTP/1.1 206 Partial Content\r\nContent-Length: ${length}\r\n` +
  `Content-Range: bytes ${slice * sliceBytes}-${slice * sliceBytes + length - 1}/${total}`
const ofObject = (path: string, slice: number, total = 9999, facts: Partial<CacheFileFacts> = {}) =>
  put({ key: sliceKey(path, slice), head: headOf(slice, total), etag: '"a"', ...facts })

/** Answers that vary by a request header, as nginx stores them. */
const varying = (etag: string, variant: string, name?: string) => (key: string) =>
  put({ key, etag, ...(name === undefined ? {} : { name }) }, (bytes) => {
    bytes.writeUInt8(15, 187)
    bytes.write('Accept-Encoding', 188)
    bytes.write(variant, 316, 'hex')
    return bytes
  })

function putHealthy(index: number): void {
  const path = `/healthy/${index}`
  const kind = index % 10
  if (kind === 0) for (const slice of [0, 1, 2]) ofObject(path, slice)
  // Caused by a HEAD request, or holes left by requests for the end of the file.
  else if (kind === 1) ofObject(path, 0)
  else if (kind === 2) for (const slice of [0, 7]) ofObject(path, slice)
  else if (kind === 3) {
    const second = digestOf(`variant ${index}`)
    varying('"identity"', digestOf(`first ${index}`))(sliceKey(path, 0))
    varying('"gzip"', second, second)(sliceKey(path, 0))
    varying('"gzip"', digestOf(`next ${index}`))(sliceKey(path, 1))
  } else if (kind === 4) {
    put({
      key: sliceKey(path, 0),
      head: 'HTTP/1.1 200 OK\r\nContent-Length: 3000',
      body: new Uint8Array(3000),
    })
  } else if (kind === 5) {
    put({ key: sliceKey(path, 0), head: 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked' })
  } else if (kind === 6) put({ key: `steam${path}::noslice` })
  else if (kind === 7) {
    ofObject(path, 0, 9999, { etag: '', lastModifiedAt: 5 })
    ofObject(path, 1, 9999, { etag: 'W/"b"' })
    ofObject(path, 2, 9999, { etag: '"b"', lastModifiedAt: 5 })
  } else put({ key: sliceKey(path, 0) })
}

type Damage = [issue: StructuralIssue, make: (path: string) => string | string[]]
const single = (path: string, change: (bytes: Buffer) => Buffer) =>
  put({ key: sliceKey(path, 0) }, change)
const poked = (at: number, value: number) => (bytes: Buffer) => {
  bytes.writeUInt8(bytes[at] === value ? value ^ 1 : value, at)
  return bytes
}
const cut = (length: number) => (bytes: Buffer) => bytes.subarray(0, length)
const damages: Damage[] = [
  ['empty_cache_file', (path) => single(path, cut(0))],
  ['truncated_cache_header', (path) => single(path, cut(200))],
  ['truncated_cache_header', (path) => single(path, cut(345))],
  ['truncated_before_payload', (path) => single(path, cut(410))],
  ['malformed_cache_header', (path) => single(path, (bytes) => Buffer.alloc(bytes.length))],
  ['malformed_cache_header', (path) => single(path, poked(350, 0x21))],
  ['malformed_cache_header', (path) => single(path, poked(338, 0x6b))],
  ['malformed_cache_header', (path) => single(path, poked(48, 0x55))],
  ['malformed_cache_header', (path) => single(path, poked(187, 200))],
  ['invalid_payload_offset', (path) => single(path, poked(57, 0))],
  ['content_range_length_mismatch', (path) => single(path, (bytes) => bytes.subarray(0, -1))],
  [
    'content_range_length_mismatch',
    (path) => single(path, (bytes) => Buffer.concat([bytes, body])),
  ],
  [
    'payload_length_mismatch',
    (path) => put({ key: `steam${path}`, head: 'HTTP/1.1 200 OK\r\nContent-Length: 11' }),
  ],
  [
    'content_length_range_conflict',
    (path) =>
      put({
        key: sliceKey(path, 0),
        head: headOf(0, 99).replace('Content-Length: 10', 'Content-Length: 12'),
      }),
  ],
  ['cache_key_path_mismatch', (path) => put({ key: sliceKey(path, 0), name: digestOf(path) })],
  [
    'cache_key_path_mismatch',
    (path) => {
      const [one, other] = [sliceKey(path, 0), sliceKey(path, 1)]
      return [put({ key: one, name: digestOf(other) }), put({ key: other, name: digestOf(one) })]
    },
  ],
  ['slice_disagreement', (path) => oddOne(path, { etag: '"other"' })],
  ['slice_disagreement', (path) => oddOne(path, { lastModifiedAt: 77 })],
  ['slice_disagreement', (path) => oddOne(path, { head: headOf(1, 5555) })],
  [
    'slice_disagreement',
    (path) => ['"x"', '"y"'].map((etag, slice) => ofObject(path, slice, 9999, { etag })),
  ],
  ['malformed_cache_header', (path) => single(path, (bytes) => bytes.fill(0, 0, 64))],
]

/** Four slices; the second one is of an older version. */
function oddOne(path: string, facts: Partial<CacheFileFacts>): string {
  const same = { lastModifiedAt: 66 }
  for (const slice of [0, 2, 3]) ofObject(path, slice, 9999, same)
  return ofObject(path, 1, 9999, { ...same, storedAt: storedAt - 60, ...facts })
}

const expected = new Map<string, StructuralIssue>()
function damage(kind: number, path: string): void {
  const [issue, make] = damages[kind] as Damage
  for (const file of [make(path)].flat()) expected.set(file, issue)
}

const begun = (mode: ScanMode) =>
  beginStructural(session, { datasource: 'default', mode, nowMs: Date.now() })

function walkTree(depth: WalkDepth, isCancelled: () => boolean) {
  const tree = session.rootOf('default')
  if (tree === null) throw new Error('no tree')
  return walkRoot(session, tree, { depth, accept: false, isCancelled, onSlice() {} })
}

async function scan(mode: ScanMode) {
  const start = begun(mode)
  const walk = await walkTree(start.depth, () => false)
  expect(walk.state).toBe('complete')
  const input = { datasource: 'default', walk, nowMs: Date.now() }
  const findings = await findStructural(session, input, context)
  endStructural(session, { datasource: 'default', isComplete: true, nowMs: Date.now() })
  return { start, walk, findings }
}

const evidenceOf = ({ evidence }: Candidate) => evidence as unknown as StructuralEvidence
const issuesByPath = (candidates: Candidate[]) =>
  new Map(candidates.map((one) => [one.exactPaths[0] ?? '', evidenceOf(one).issues.join()]))
const ids = (candidates: Candidate[]) => candidates.map(({ id }) => id).toSorted()

/** Everything below the cache, with size and times, as text. */
const listing = () =>
  readdirSync(root, { recursive: true, withFileTypes: true })
    .map((entry) => {
      const path = join(entry.parentPath, entry.name)
      const { size, mtimeMs, ctimeMs, ino } = statSync(path)
      return [path, size, mtimeMs, ctimeMs, ino].join()
    })
    .toSorted()
    .join('\n')

for (let round = 0; round < 20; round++) {
  for (const kind of damages.keys()) damage(kind, `/damaged/${kind}/${round}`)
}
for (let index = 0; index < 4000; index++) putHealthy(index)
// The remaining files share a few folders, which makes creating them faster.
for (let index = 0, count = 0; count < fileCount - 6000; index++) {
  const key = sliceKey(`/depot/1/chunk/${index}`, 0)
  const name = digestOf(key)
  if (name.charCodeAt(30) > 0x31) continue
  put({ key })
  count++
}
let session = new CacheSession(openCache(folder), folder)
await session.configure(roots)
afterAll(() => {
  session.store.database.close()
  rmSync(folder, { recursive: true })
})

let firstIds: string[] = []

test('reports each kind of damage with the right finding and nothing else', async () => {
  const before = listing()
  const { start, findings } = await scan('full')
  expect(start).toMatchObject({ effectiveMode: 'full', resumed: false })
  expect(issuesByPath(findings.candidates)).toEqual(expected)
  firstIds = ids(findings.candidates)
  const { filesSeen, filesChecked, consistent, skippedByReason } = findings.coverage
  expect(filesSeen).toBeGreaterThan(fileCount)
  expect(skippedByReason).toEqual({ no_authoritative_length: 400 })
  const broken = [...expected.values()].filter((issue) => issue !== 'slice_disagreement').length
  expect([filesChecked, consistent]).toEqual([filesSeen - 400, filesSeen - 400 - broken])
  expect(listing()).toBe(before)
})

test('gives the facts as evidence, and stable ids', async () => {
  const { findings, walk } = await scan('incremental')
  expect(ids(findings.candidates)).toEqual(firstIds)
  expect(walk.headersRead).toBe(360)
  const odd = findings.candidates.find(
    (one) => one.exactPaths[0] === pathOf(digestOf(sliceKey('/damaged/16/0', 1))),
  )
  expect(odd?.service).toBe('steam')
  expect(odd === undefined ? null : evidenceOf(odd)).toMatchObject({
    issues: ['slice_disagreement'],
    cacheKeyText: sliceKey('/damaged/16/0', 1),
    cacheVersion: 5,
    httpStatus: 206,
    actualPayloadLength: 10,
    expectedPayloadLength: 10,
    contentRange: 'bytes 1000-1009/9999',
    disagreement: {
      fields: ['etag'],
      own: { etag: '"other"', lastModifiedAt: 66, totalLength: 9999 },
      siblings: [{ etag: '"a"', lastModifiedAt: 66, totalLength: 9999, slices: 3 }],
      slicesCompared: 4,
    },
  })
})

test('an incremental scan after changes finds what a full scan finds', async () => {
  for (let round = 0; round < 20; round++) {
    // One kind is repaired, one deleted, one added.
    const healed = single(`/damaged/5/${round}`, (bytes) => bytes)
    expected.delete(healed)
    const gone = pathOf(digestOf(sliceKey(`/damaged/1/${round}`, 0)))
    rmSync(gone)
    expected.delete(gone)
    damage(10, `/healthy/${round * 10 + 9}`)
    damage(16, `/new/${round}`)
  }
  const incremental = await scan('incremental')
  expect(incremental.start.effectiveMode).toBe('incremental')
  expect(incremental.walk.headersRead).toBeLessThan(1000)
  expect(incremental.walk.removed).toBe(20)
  const full = await scan('full')
  expect(full.walk.headersRead).toBeGreaterThan(fileCount)
  expect(issuesByPath(incremental.findings.candidates)).toEqual(expected)
  expect(ids(incremental.findings.candidates)).toEqual(ids(full.findings.candidates))
})

test('reports no young files, sparse files or files of another version', async () => {
  const young = single('/special/young', cut(0))
  utimesSync(young, new Date(), new Date())
  single('/special/version', poked(0, 4))
  const hole = put({
    key: sliceKey('/special/hole', 0),
    head: headOf(0, 99_999, 100_000),
    body: new Uint8Array(),
  })
  truncateSync(hole, statSync(hole).size + 100_000)
  utimesSync(hole, oldS, oldS)
  const { findings } = await scan('incremental')
  expect(issuesByPath(findings.candidates)).toEqual(expected)
  expect(findings.coverage).toMatchObject({
    sparseFiles: 1,
    skippedByReason: { recent: 1, unsupported_cache_version: 1 },
  })
  for (const name of ['young', 'version', 'hole'])
    rmSync(pathOf(digestOf(sliceKey(`/special/${name}`, 0))))
})

test('a killed scan resumes where it stopped, even after the walk at startup', async () => {
  session.store.database.close()
  const script = join(import.meta.dir, '../../../../test/support/victims/structural-scan.ts')
  const victim = Bun.spawn([process.execPath, script, folder, root, String(killedAfter)])
  await victim.exited
  expect(victim.signalCode).toBe('SIGKILL')
  session = new CacheSession(openCache(folder), folder)
  await session.configure(roots)
  await walkTree('directories', () => false)
  // Cancelled soon after resuming: the rest is still ahead.
  expect(begun('full').resumed).toBe(true)
  let slices = 0
  expect((await walkTree('headers', () => ++slices > 3)).state).toBe('cancelled')
  await walkTree('directories', () => false)
  const { start, walk, findings } = await scan('full')
  expect(start.resumed).toBe(true)
  expect(walk.headersRead).toBeLessThan(fileCount - killedAfter / 2)
  expect(issuesByPath(findings.candidates)).toEqual(expected)
})

test('a removal deletes unchanged findings, and stops at a changed one', async () => {
  const { start, findings } = await scan('incremental')
  expect(start.resumed).toBe(false)
  const of = (kind: number) =>
    findings.candidates.filter(({ exactPaths }) =>
      Array.from({ length: 5 }, (_, round) =>
        pathOf(digestOf(sliceKey(`/damaged/${kind}/${round}`, kind === 16 ? 1 : 0))),
      ).includes(exactPaths[0] ?? ''),
    )
  const chosen = [...of(0), ...of(10), ...of(16)]
  expect(chosen).toHaveLength(15)
  rmSync(pathOf(digestOf(sliceKey('/damaged/0/0', 0))))
  single('/damaged/10/0', (bytes) => bytes)
  const changed = single('/damaged/10/1', (bytes) => bytes.subarray(0, -2))
  const refused = await removeStructural(session, chosen, context)
  expect(refused).toMatchObject({ state: 'failed', filesDeleted: 0 })
  expect(refused.problem).toContain('has changed since the scan')
  expect(statSync(changed).isFile()).toBe(true)
  const rest = chosen.filter(({ exactPaths }) => exactPaths[0] !== changed)
  expect(await removeStructural(session, rest, context)).toEqual({
    state: 'complete',
    problem: null,
    filesDeleted: 12,
    alreadyMissing: 1,
    healed: 1,
    kept: [expect.any(String)],
  })
  for (const { exactPaths } of rest) {
    const isThere = statSync(exactPaths[0] ?? '', { throwIfNoEntry: false }) !== undefined
    expect(isThere).toBe(exactPaths[0] === pathOf(digestOf(sliceKey('/damaged/10/0', 0))))
  }
})

test('never removes a file outside the tree', async () => {
  const { findings } = await scan('incremental')
  const [one] = findings.candidates
  if (one === undefined) throw new Error('nothing was found')
  const outside = join(folder, 'outside')
  writeFileSync(outside, '')
  const forged = { ...one, exactPaths: [outside] }
  expect(await removeStructural(session, [forged], context)).toMatchObject({ state: 'failed' })
  const moved = { ...one, exactPaths: [join(root, 'aa', 'bb', 'c'.repeat(32))] }
  expect(await removeStructural(session, [moved], context)).toMatchObject({ state: 'failed' })
  expect(statSync(outside).isFile()).toBe(true)
  renameSync(outside, `${outside}-still-here`)
})
