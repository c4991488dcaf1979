import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Visitor } from '../../src/demo/visitor.ts'
import type { CalendarEvent } from '../../src/downloads/events/model.ts'
import type { HostParty } from '../../src/party/model.ts'
import { Larder } from '../lab/larder.ts'
import { familyOf, memoryOf } from '../lab/processes.ts'
import { makeCacheTree } from '../support/cache-tree.ts'
import { eventually } from '../support/eventually.ts'
import { logTime } from '../support/log-lines.ts'
import { logKinds } from './logs.ts'

const linesPerSecond = 1000
const files = 100_000
const sockets = 150
const phones = 150
const tickMs = 100

export interface Loaded {
  /** Memory of the service alone and with its Postgres, once a second; shared pages are divided. */
  aloneBytes: number[]
  bytes: number[]
  batchMs: number[]
  lines: number
}

/** Does it again and again until the end, with pauses. */
async function every(ms: number, isOver: () => boolean, work: () => Promise<unknown>) {
  while (!isOver()) {
    const startMs = performance.now()
    await work()
    await Bun.sleep(Math.max(0, ms - (performance.now() - startMs)))
  }
}

/** Pages that people look at, one after the other. */
const pages = [
  '/api/downloads/retro?PageSize=100&GroupByGame=true',
  '/api/games/detect/cached',
  '/api/ext/cache/sizes',
  '/api/ext/cache/eviction/next',
  '/api/ext/data-cap',
  '/api/ext/clients/bypass',
  '/api/ext/bottleneck/now',
  '/api/stats/clients?limit=100',
  '/api/stats/services',
]

/** The party of a running event, as phones and the beamer poll it. */
async function partyOf({ url }: Larder, owner: Visitor, isOver: () => boolean) {
  const now = Math.floor(Date.now() / 1000)
  const span = { startTime: now - 3600, endTime: now + 86_400 }
  const created = await owner.request('POST', '/api/events', { name: 'LAN', ...span })
  // Responses of our own service.
  const { id } = (await created.json()) as CalendarEvent
  const path = `/api/ext/party/${id}`
  const settings = { rules: '', wifi: '', timetable: [], showsNames: true }
  const host = (await (await owner.request('PUT', path, settings)).json()) as HostParty
  const tokenOf = (link: string | null) => link?.split('#')[1] ?? ''
  const poll = async (page: string, token: string, from: string) => {
    const headers = { 'X-Share-Link': token, 'X-Forwarded-For': from }
    const response = await fetch(`${url}${path}/${page}`, { headers })
    if (!response.ok) throw new Error(`${page}: ${response.status} ${await response.text()}`)
    await response.arrayBuffer()
  }
  return [
    every(1000, isOver, () => poll('kiosk', tokenOf(host.kioskPath), '10.9.9.9')),
    ...Array.from({ length: phones }, (_, at) =>
      every(2000, isOver, () => poll('guest', tokenOf(host.guestPath), `10.9.0.${at + 1}`)),
    ),
  ]
}

function listen({ url }: Larder, owner: Visitor): WebSocket[] {
  const live = `${url.replace('http', 'ws')}/hubs/downloads`
  const headers = { cookie: owner.cookieHeader }
  return Array.from({ length: sockets }, () => new WebSocket(live, { headers }))
}

/** Everything at once: a log of a LAN, sockets, a party, pages and scans of a given cache or a new one. */
export async function timeLoad(root: string, minutes: number, tree?: string): Promise<Loaded> {
  const [logPath, cachePath] = [join(root, 'load-logs'), tree ?? join(root, 'load-cache')]
  mkdirSync(logPath)
  if (tree === undefined) makeCacheTree(cachePath, files)
  const log = join(logPath, 'access.log')
  writeFileSync(log, '')
  const source = logKinds.mixed.generate(root, minutes * 60 * linesPerSecond)
  const lines = readFileSync(source.path, 'utf8').split('\n').slice(0, -1)
  const dataPath = join(root, 'load-data')
  const larder = await Larder.start({
    dataPath,
    cachePath,
    sources: [{ name: 'default', logPath }],
  })
  const owner = await larder.firstSignIn()
  const isReady = async () => (await owner.request('GET', '/api/events/active')).ok
  await eventually(isReady, 'the history answers')
  const endMs = performance.now() + minutes * 60_000
  const isOver = () => performance.now() > endMs
  const opened = listen(larder, owner)
  const loaded: Loaded = { aloneBytes: [], bytes: [], batchMs: [], lines: 0 }
  const sample = () => {
    loaded.aloneBytes.push(memoryOf([larder.pid]))
    loaded.bytes.push(memoryOf(familyOf(larder.pid)))
    return Promise.resolve()
  }
  const write = () => {
    const next = lines.slice(loaded.lines, loaded.lines + (linesPerSecond * tickMs) / 1000)
    loaded.lines += next.length
    const time = `[${logTime(Date.now() / 1000)}]`
    const text = next.map((line) => `${line.replace(/\[[^\]]*\+0000\]/, () => time)}\n`).join('')
    appendFileSync(log, text)
    return Promise.resolve()
  }
  try {
    await Promise.all([
      every(tickMs, isOver, write),
      every(1000, isOver, sample),
      every(1000, isOver, async () => {
        const startMs = performance.now()
        await owner.read('/api/dashboard/batch')
        loaded.batchMs.push(performance.now() - startMs)
      }),
      ...pages.map((page) => every(2000, isOver, () => owner.read(page))),
      every(20_000, isOver, () => owner.request('POST', '/api/games/detect')),
      every(25_000, isOver, () =>
        owner.request('POST', '/api/cache/corruption/detect?detectionMethod=structural'),
      ),
      ...(await partyOf(larder, owner, isOver)),
    ])
  } finally {
    for (const socket of opened) socket.close()
    await larder.stop()
  }
  return loaded
}
