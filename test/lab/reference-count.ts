/**
 * Counts a log in the simplest possible way, without the service's code: Larder's totals must match
 * it to the byte.
 */
export interface Counts {
  hitBytes: number
  missBytes: number
  requests: number
}

/** By `service client`. */
export type CountTable = Record<string, Counts>

const served = ['HIT', 'STALE', 'UPDATING', 'REVALIDATED']
const fetched = ['MISS', 'EXPIRED', 'BYPASS']

interface Fields {
  service: string
  client: string
  path: string
  status: string
  bytes: number
  cache: string
}

function plain(line: string): Fields | null {
  const quoted = line.split('"')
  const head = /^\[([^\]]*)\] (\S+) \/ /.exec(line)
  const numbers = /^ (\d{3}) (\d+) $/.exec(quoted[2] ?? '')
  if (head === null || numbers === null) return null
  return {
    service: head[1] ?? '',
    client: head[2] ?? '',
    path: (quoted[1] ?? '').split(' ')[1] ?? '',
    status: numbers[1] ?? '',
    bytes: Number(numbers[2]),
    cache: quoted[7] ?? '',
  }
}

function json(line: string): Fields | null {
  const it = JSON.parse(line)
  return {
    service: it.cache_identifier,
    client: it.remote_addr,
    path: it.path,
    status: it.status,
    bytes: it.bytes_sent,
    cache: it.upstream_cache_status,
  }
}

function detailed(line: string): Fields | null {
  const quoted = line.split('"')
  const [client = ''] = (line.split('] ')[1] ?? '').split(' ')
  const status = /(\d{3}) $/.exec(quoted[2] ?? '')?.[1] ?? ''
  const bytes = Number((quoted[4] ?? '').trim().split(' ')[2])
  const cache = / ([A-Z]+|-) \S+ [\d, :-]+ [\d., :-]+ $/.exec(quoted[4] ?? '')?.[1] ?? ''
  return { service: 'steam', client, path: quoted[1] ?? '', status, bytes, cache }
}

const readers = { plain, json, detailed }

export function referenceCount(text: string, format: keyof typeof readers): CountTable {
  const table: CountTable = {}
  for (const line of text.split('\n')) {
    const it = line === '' ? null : readers[format](line)
    if (it === null || it.path.startsWith('/lancache-heartbeat')) continue
    const key = `${it.service} ${it.client}`
    const entry = (table[key] ??= { hitBytes: 0, missBytes: 0, requests: 0 })
    entry.requests++
    if (it.status !== '200' && it.status !== '206') continue
    if (served.includes(it.cache)) entry.hitBytes += it.bytes
    if (fetched.includes(it.cache)) entry.missBytes += it.bytes
  }
  return table
}
