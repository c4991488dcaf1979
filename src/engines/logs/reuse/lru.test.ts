import { expect, test } from 'bun:test'
import { seededRandom, type Random } from '../../../demo/random.ts'
import { cacheHit, cacheMiss, Line, makeTag } from '../lines/line.ts'
import { hashPart, hashPath } from '../lines/object-keys.ts'
import { binEnds, errorOf, shareAt } from './curve.ts'
import { ReuseSampler } from './sampler.ts'

/** A request for bytes of an object, as a proxy sees it. */
interface Request {
  object: number
  firstByte: number
  bytes: number
}

const mebibyte = 1024 * 1024
const startS = 1_790_000_000

/** Logs the requests as a cache does; one without a size has only misses. */
function noteAll(sampler: ReuseSampler, requests: readonly Request[], cacheBytes = 0): void {
  const cache = new SimulatedCache(cacheBytes)
  const line = new Line()
  line.tag = makeTag('steam')
  const buffer = Buffer.alloc(64)
  for (const [at, request] of requests.entries()) {
    const { object, firstByte, bytes } = request
    const { hits } = cache
    if (cacheBytes > 0) cache.serve(request, mebibyte)
    line.cache = cache.hits > hits ? cacheHit : cacheMiss
    line.timeS = startS + (at >> 6)
    line.bytes = bytes
    line.target.to = buffer.write(`/depot/${object % 97}/chunk/${object}?token=${at}`)
    line.firstByte = firstByte
    line.pathHash = hashPath(buffer, line.target)
    line.objectHash = hashPart(line.pathHash, firstByte)
    const hit = line.cache === cacheHit ? { hits: 1, hitBytes: bytes } : { hits: 0, hitBytes: 0 }
    sampler.count(line.timeS, { bytes, requests: 1, ...hit })
    sampler.note(line, buffer, false)
  }
}

/** A cache file as the simulation knows it, in a list from the most to the least recently used. */
interface File {
  bytes: number
  isStored: boolean
  newer: File | null
  older: File | null
}

/** A cache of files that evicts the least recently used ones when it is too large. */
class SimulatedCache {
  readonly #limit: number
  readonly #files = new Map<number, File>()
  #newest: File | null = null
  #oldest: File | null = null
  #bytes = 0
  hits = 0
  hitBytes = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  serve({ object, firstByte, bytes }: Request, sliceBytes: number): void {
    const end = firstByte + bytes
    let isFirst = true
    for (let start = firstByte - (firstByte % sliceBytes); start < end; start += sliceBytes) {
      const fileEnd = Math.min(end, start + sliceBytes)
      const isHit = this.#open(object * 1000 + start / sliceBytes, fileEnd - start)
      if (isHit) this.hitBytes += fileEnd - Math.max(start, firstByte)
      if (isHit && isFirst) this.hits++
      isFirst = false
    }
  }

  #open(key: number, extent: number): boolean {
    let file = this.#files.get(key)
    if (file === undefined) {
      file = { bytes: 0, isStored: false, newer: null, older: null }
      this.#files.set(key, file)
    }
    const isHit = file.isStored
    if (isHit) this.#unlink(file)
    file.bytes = Math.max(file.bytes, extent)
    this.#prepend(file)
    while (this.#bytes > this.#limit && this.#oldest !== null) this.#unlink(this.#oldest)
    return isHit
  }

  #prepend(file: File): void {
    file.older = this.#newest
    if (this.#newest !== null) this.#newest.newer = file
    this.#newest = file
    this.#oldest ??= file
    file.isStored = true
    this.#bytes += file.bytes
  }

  #unlink(file: File): void {
    if (file.newer === null) this.#newest = file.older
    else file.newer.older = file.older
    if (file.older === null) this.#oldest = file.newer
    else file.older.newer = file.newer
    Object.assign(file, { newer: null, older: null, isStored: false })
    this.#bytes -= file.bytes
  }
}

function simulated(requests: readonly Request[], limit: number, sliceBytes: number) {
  const cache = new SimulatedCache(limit)
  for (const request of requests) cache.serve(request, sliceBytes)
  return cache
}

/** Popularity falls with the rank; ranks move, so that other games become popular. */
function popular(random: Random, count: number, drift: number): number {
  const rank = Math.floor(count ** random.next()) - 1
  return (rank + Math.floor(drift)) % count
}

const chunksOf = (game: number) => 200 + ((game * 7919) % 1800)
const chunkBytes = (object: number) => 200_000 + ((object * 104_729) % 800_000)

/** Two clients at a time download games; some requests are for single files, some games are new. */
function lanLog(seed: number, count: number): Request[] {
  const random = seededRandom(seed)
  const requests: Request[] = []
  let newGame = 1000
  const begin = () => {
    const drift = (80 * requests.length) / count
    const game = random.next() < 0.12 ? newGame++ : popular(random, 300, drift)
    return { game, chunk: 0 }
  }
  const clients = [begin(), begin()]
  while (requests.length < count) {
    const at = random.between(0, 1)
    const client = clients[at] ?? begin()
    const isSingle = random.next() < 0.15
    const single = 9_000_000 + popular(random, 60_000, 0)
    const object = isSingle ? single : client.game * 2000 + client.chunk++
    requests.push({ object, firstByte: 0, bytes: chunkBytes(object) })
    if (client.chunk >= chunksOf(client.game)) clients[at] = begin()
  }
  return requests
}

const gibibyte = 1024 ** 3
const tenSizes = [5, 10, 20, 30, 45, 60, 90, 120, 160, 220].map((size) => size * gibibyte)

/** Largest difference at ten sizes, in percentage points. */
function largestError(sampler: ReuseSampler, requests: readonly Request[]): number {
  const curve = sampler.curve()
  const total = requests.reduce((sum, { bytes }) => sum + bytes, 0)
  const errors = tenSizes.flatMap((size) => {
    const exact = simulated(requests, size, mebibyte)
    const { byBytes = [], byRequests = [] } = curve ?? {}
    return [
      Math.abs(shareAt(byBytes, size) - exact.hitBytes / total),
      Math.abs(shareAt(byRequests, size) - exact.hits / requests.length),
    ]
  })
  return 100 * Math.max(...errors)
}

test('at ten sizes the sample differs from a simulated cache by at most one point', () => {
  const requests = lanLog(5, 1_000_000)
  const sampler = new ReuseSampler()
  noteAll(sampler, requests, 35 * gibibyte)
  expect(sampler.curve()?.objects).toBeGreaterThan(5000)
  expect(largestError(sampler, requests)).toBeLessThanOrEqual(1)
})

test('a sample that had to shrink stays within the error that it states', () => {
  const requests = lanLog(6, 200_000)
  const sampler = new ReuseSampler({ objectsMax: 2000 })
  noteAll(sampler, requests, 35 * gibibyte)
  const { objects = 0, share = 1 } = sampler.curve() ?? {}
  expect(objects).toBeLessThanOrEqual(2000)
  expect(share).toBeLessThan(1 / 70)
  expect(largestError(sampler, requests)).toBeLessThanOrEqual(100 * errorOf(objects))
})

test('without sampling every hit is that of a simulated cache, at all sizes and slice sizes', () => {
  for (let seed = 1; seed <= 60; seed++) {
    const random = seededRandom(seed)
    const sliceBytes = random.pick([mebibyte, 10 * mebibyte, 300_001])
    const objects = random.between(1, 60)
    const requests = Array.from({ length: random.between(1, 500) }, () => ({
      object: popular(random, objects, 0),
      firstByte: random.next() < 0.5 ? 0 : random.between(0, 3 * sliceBytes),
      bytes: random.between(1, random.pick([1000, sliceBytes, 5 * sliceBytes])),
    }))
    const sampler = new ReuseSampler({ share: 1, objectsMax: 600 })
    sampler.sliceBytes = sliceBytes
    noteAll(sampler, requests)
    const curve = sampler.curve()
    for (let bin = 0; bin < binEnds.length; bin += random.between(1, 9)) {
      const exact = simulated(requests, binEnds[bin] ?? 0, sliceBytes)
      const { sums, byBytes = [], byRequests = [] } = curve ?? {}
      const found = {
        hits: Math.round((byRequests[bin] ?? 0) * (sums?.requests ?? 0)),
        hitBytes: Math.round((byBytes[bin] ?? 0) * (sums?.bytes ?? 0)),
      }
      expect(found, `seed ${seed}, bin ${bin}`).toEqual({
        hits: exact.hits,
        hitBytes: exact.hitBytes,
      })
    }
  }
})
