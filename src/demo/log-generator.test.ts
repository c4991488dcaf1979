import { describe, expect, test } from 'bun:test'
import { Ledger } from './ledger.ts'
import { cachelogLine, type LoggedRequest } from './log-formats.ts'
import { history, Traffic } from './log-generator.ts'

// Friday, 20 November 2026, midnight.
const startAt = 1_795_132_800
const clients = ['192.168.1.21', '192.168.1.22', '192.168.1.27', 'fd00::28']

const linesOf = (seed: number, days = 3) => {
  const traffic = new Traffic({ seed, startAt, clients, chunksPerDay: 2000 })
  const range = { fromAt: startAt, untilAt: startAt + days * 86_400 }
  const requests = [...history(traffic, range)].flat()
  return { traffic, requests, lines: requests.map(cachelogLine) }
}

describe('log generator', () => {
  test('the same seed writes the same lines, another seed different ones', () => {
    expect(linesOf(1).lines).toEqual(linesOf(1).lines)
    expect(linesOf(1).lines).not.toEqual(linesOf(2).lines)
  })

  test('lines are in chronological order and inside the range', () => {
    const { requests } = linesOf(3)
    let last = startAt
    for (const { at } of requests) {
      expect(at).toBeGreaterThanOrEqual(last)
      last = at
    }
    expect(last).toBeLessThan(startAt + 3 * 86_400)
  })

  test('the ledger equals a count of the written text', () => {
    const { traffic, lines } = linesOf(4)
    let hitBytes = 0
    let missBytes = 0
    let requests = 0
    for (const line of lines) {
      const [, status, bytes] = /" (\d{3}) (\d+) "/.exec(line) ?? []
      if (line.includes('/lancache-heartbeat')) continue
      requests++
      if (status !== '200' && status !== '206') continue
      if (line.includes('" "HIT" "')) hitBytes += Number(bytes)
      if (line.includes('" "MISS" "')) missBytes += Number(bytes)
    }
    expect(requests).toBeGreaterThan(1000)
    expect(traffic.ledger.totals).toEqual({ hitBytes, missBytes, requests })
    expect(traffic.ledger.lines).toBe(lines.length)
  })

  test('an object fetched by one client is a hit for the next', () => {
    const { requests } = linesOf(5, 10)
    const seen = new Set<string>()
    for (const it of requests) {
      if (it.cacheStatus === '-' || it.status === 404) continue
      const key = it.target + it.range
      expect(it.cacheStatus).toBe(seen.has(key) ? 'HIT' : 'MISS')
      seen.add(key)
    }
  })

  test('the cache says what is a hit', () => {
    const asked = new Set<string>()
    const hold = ({ target, range }: LoggedRequest) => asked.size === asked.add(target + range).size
    const traffic = new Traffic({ seed: 5, startAt, clients, chunksPerDay: 2000, hold })
    const requests = [...history(traffic, { fromAt: startAt, untilAt: startAt + 86_400 })].flat()
    const fetched = requests.filter(
      ({ status, cacheStatus }) => status < 400 && cacheStatus === 'MISS',
    )
    expect(new Set(fetched.map(({ target, range }) => target + range))).toEqual(asked)
    expect(fetched).toHaveLength(asked.size)
  })

  test('a party adds its traffic between its two moments, over midnight too', () => {
    const party = { from: startAt + 80_000, until: startAt + 100_000, chunksPerHour: 9000 }
    const range = { fromAt: startAt, untilAt: startAt + 3 * 86_400 }
    const traffic = new Traffic({ seed: 7, startAt, clients, chunksPerDay: 20, parties: [party] })
    const chunks = [...history(traffic, range)].flat().filter(({ bytes }) => bytes > 1000)
    const during = chunks.filter(({ at }) => at >= party.from && at < party.until + 600)
    expect(chunks.filter(({ at }) => at < party.from).length).toBeLessThan(5000)
    expect(during.length).toBeGreaterThan(45_000)
    expect(during.length).toBeLessThan(60_000)
  })

  test('every kind of source occurs within a month', () => {
    const { requests } = linesOf(6, 30)
    const content = requests.filter(({ target }) => target !== '/lancache-heartbeat')
    const services = new Set(content.map(({ tag }) => tag))
    for (const name of ['steam', 'epicgames', 'blizzard', 'riot', 'xboxlive', 'wsus']) {
      expect(services).toContain(name)
    }
    expect(new Set(content.map(({ client }) => client))).toEqual(new Set(clients))
  })

  test('stops at the requested number of lines', () => {
    const traffic = new Traffic({ seed: 1, startAt, clients, chunksPerDay: 2000 })
    const range = { fromAt: startAt, untilAt: Number.POSITIVE_INFINITY, linesMax: 5000 }
    const lines = [...history(traffic, range)].flat().length
    expect(lines).toBeGreaterThanOrEqual(5000)
    expect(lines).toBeLessThan(5500)
  })
})

describe('line formats', () => {
  const request = {
    at: 1_795_211_569,
    tag: 'steam',
    client: '192.168.1.50',
    forwardedFor: '-',
    method: 'GET',
    target: '/depot/434174/chunk/0123456789abcdef0123456789abcdef01234567',
    status: 200,
    bytes: 1_048_576,
    userAgent: 'Valve/Steam HTTP Client 1.0',
    cacheStatus: 'HIT',
    host: 'lancache.steamcontent.com',
    range: '-',
  }

  test('cachelog', () => {
    expect(cachelogLine(request)).toBe(
      '[steam] 192.168.1.50 / - - - [20/Nov/2026:21:52:49 +0000] "GET /depot/434174/chunk/' +
        '0123456789abcdef0123456789abcdef01234567 HTTP/1.1" 200 1048576 "-" "Valve/Steam HTTP ' +
        'Client 1.0" "HIT" "lancache.steamcontent.com" "-"',
    )
  })

  test('the ledger ignores heartbeats and the bytes of failures', () => {
    const ledger = new Ledger()
    ledger.add({ ...request, target: '/lancache-heartbeat', status: 204, cacheStatus: '-' })
    ledger.add({ ...request, status: 502, bytes: 157, cacheStatus: 'MISS' })
    expect(ledger.totals).toEqual({ hitBytes: 0, missBytes: 0, requests: 1 })
    expect(ledger.lines).toBe(2)
  })
})
