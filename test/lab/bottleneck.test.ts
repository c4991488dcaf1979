import { beforeAll, expect, test } from 'bun:test'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import net from 'node:net'
import { join } from 'node:path'
import { figuresOf, type Measured } from '../../src/downloads/bottleneck/figures.ts'
import { enough, judge } from '../../src/downloads/bottleneck/judge.ts'
import { readTraffic } from '../../src/engines/log-scan/traffic.ts'
import { cleanups } from '../support/cleanup.ts'
import { eventually } from '../support/eventually.ts'
import { serveLocally } from '../support/stand-ins/serve-locally.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { freePort } from './free-port.ts'
import { alphaHeaders, download } from './proxy.ts'

/*
 * Every cause of a slow download made on purpose with a real nginx, all at the same time, each with
 * a proxy of its own. A slow disk is one whose reads `strace` delays: the proxy waits for the file as
 * it would for a disk under load, without needing a device or being root. The kernel's counters do
 * not see that, so they are held against verdicts beside the service.
 */
const root = tempFolder('bottleneck')
const chunkBytes = 512 * 1024
/** A little more than is needed for a verdict. */
const lastsMs = (enough.seconds + 2) * 1000
const unknown: Measured = { lineBytesPerSecond: null, bestOfClients: new Map(), disk: null }

/** Answers with a chunk after a while; an expired file that is asked about has not changed. */
function startOrigin(delayOf: (depot: number) => Promise<unknown>) {
  const origin = serveLocally(async (request) => {
    const depot = Number(/depot\/(\d+)/.exec(request.url)?.[1])
    await delayOf(depot)
    const headers = { 'Last-Modified': 'Fri, 20 Nov 2026 20:00:00 GMT' }
    if (request.headers.has('if-modified-since'))
      return new Response(null, { status: 304, headers })
    return new Response(new Uint8Array(chunkBytes), { headers })
  })
  cleanups.push(() => origin.stop())
  return origin.port
}

/** One request after the other, as a line does that everything shares. */
function sharedLine(ms: number): () => Promise<unknown> {
  let last: Promise<unknown> = Promise.resolve()
  return () => (last = last.then(() => Bun.sleep(ms)))
}

const cachelog =
  '[steam] $remote_addr / - - - [$time_local] "$request" $status $body_bytes_sent "-" ' +
  '"$http_user_agent" "$upstream_cache_status" "$host" "-"'

interface Lab {
  port: number
  /** Logs of the usual format, and of the same with times of requests. */
  plain: string
  timed: string
}

/** An nginx like a LAN cache, with lines of its own and perhaps under a tracer. */
async function startNginx(
  name: string,
  options: { originPort: number; lines?: string; tracer?: string[] },
): Promise<Lab> {
  const folder = join(root, name)
  const [plain, timed] = [join(folder, 'plain'), join(folder, 'timed')]
  for (const path of [plain, timed, join(folder, 'temp')]) mkdirSync(path, { recursive: true })
  const port = await freePort()
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  writeFileSync(
    join(folder, 'nginx.conf'),
    `${process.getuid?.() === 0 ? 'user root;' : ''}
worker_processes 1; daemon off; master_process off; pid ${folder}/nginx.pid;
error_log ${folder}/error.log; events { worker_connections 64; }
http {
  ${temporary.map((kind) => `${kind}_temp_path ${folder}/temp/${kind};`).join('\n  ')}
  log_format plain '${cachelog}';
  log_format timed '${cachelog} $request_time $upstream_response_time';
  proxy_cache_path ${folder}/cache levels=2:2 keys_zone=lab:1m use_temp_path=off;
  server {
    listen 127.0.0.1:${port};
    access_log ${plain}/access.log plain; access_log ${timed}/access.log timed;
    location = /ready { access_log off; return 204; }
    location / {
      proxy_cache lab; proxy_cache_key $uri;
      ${options.lines ?? 'proxy_cache_valid 200 1h;'}
      proxy_pass http://127.0.0.1:${options.originPort};
    }
  }
}
`,
  )
  const files = ['-c', join(folder, 'nginx.conf'), '-e', join(folder, 'error.log')]
  Bun.spawn([...(options.tracer ?? []), 'nginx', '-p', folder, ...files])
  const isUp = () =>
    download({ port, path: '/ready' }).then(
      ({ status }) => status === 204,
      () => false,
    )
  await eventually(isUp, 'nginx answers')
  cleanups.push(async () => void process.kill(Number(readFileSync(`${folder}/nginx.pid`, 'utf8'))))
  return { port, plain, timed }
}

interface Client {
  from: string
  depot: number
  /** Connections. */
  count?: number
  /** Chunks that it asks for in turn; without a number, always new ones. */
  chunks?: number
  /** After each chunk. */
  pauseMs?: number
  untilMs?: number
  /** Goes on until it has received so many. */
  chunksMin?: number
  /** Called with how long a chunk took. */
  onChunk?: (ms: number) => void
}

/** Downloads chunks until the time is over. */
async function use({ port }: Lab, client: Client): Promise<void> {
  const { from, depot, count = 1, chunks, pauseMs = 0, chunksMin = 0 } = client
  const endMs = Date.now() + (client.untilMs ?? lastsMs)
  let next = 0
  const connection = async () => {
    while (Date.now() < endMs || next < chunksMin) {
      const chunk = next++
      const path = `/depot/${depot}/chunk/${chunks === undefined ? chunk : chunk % chunks}`
      const askedMs = Date.now()
      await download({ port, path, from, headers: alphaHeaders })
      client.onChunk?.(Date.now() - askedMs)
      await Bun.sleep(pauseMs)
    }
  }
  await Promise.all(Array.from({ length: count }, connection))
}

/** Fills the cache with the chunks that a client asks for in turn. */
async function fill({ port }: Lab, depot: number, chunks: number): Promise<void> {
  for (let chunk = 0; chunk < chunks; chunk++) {
    const path = `/depot/${depot}/chunk/${chunk}`
    await download({ port, path, from: '127.0.0.99', headers: alphaHeaders })
  }
}

/** Asks for one chunk after the other, and reads 64 KiB at a time. */
function readSlowly(
  { port }: Lab,
  { from, depot, chunks }: Required<Pick<Client, 'from' | 'depot' | 'chunks'>>,
) {
  const { promise, resolve } = Promise.withResolvers<void>()
  const socket = net.connect({ host: '127.0.0.1', port, localAddress: from })
  const endMs = Date.now() + lastsMs
  let [chunk, left] = [0, 0]
  const ask = () => {
    if (Date.now() > endMs) {
      socket.destroy()
      return
    }
    const path = `/depot/${depot}/chunk/${chunk++ % chunks}`
    socket.write(`GET ${path} HTTP/1.1\r\nHost: lancache.steamcontent.com\r\n\r\n`)
    left = 0
  }
  socket.on('connect', ask)
  socket.on('data', (data) => {
    left += data.length
    socket.pause()
    setTimeout(() => {
      if (left >= chunkBytes) ask()
      socket.resume()
    }, data.length / 1500)
  })
  socket.on('close', () => resolve())
  return promise
}

async function verdictOf(
  logPath: string,
  { from, depot }: Pick<Client, 'from' | 'depot'>,
  measured: Partial<Measured> = {},
) {
  const toS = Math.ceil(Date.now() / 1000)
  const fromS = Math.floor(beganMs / 1000)
  const traffic = await readTraffic({ logPath, timeZone: 'UTC', fromS, toS })
  const subject = { client: from, tag: 'steam', titleKey: `alpha:${depot}` }
  const figures = figuresOf(traffic, subject, { ...unknown, ...measured })
  return { figures, ...judge(figures) }
}

/** Its verdict in both formats of the log. */
async function verdicts(
  lab: Lab,
  client: Pick<Client, 'from' | 'depot'>,
  measured?: Partial<Measured>,
) {
  const [timed, plain] = await Promise.all(
    [lab.timed, lab.plain].map((path) => verdictOf(path, client, measured)),
  )
  return [timed?.verdict, plain?.verdict]
}

const [first, second] = ['127.0.0.11', '127.0.0.12']
const slowReads = ['-e', 'trace=pread64', '-e', 'inject=pread64:delay_enter=8000']
const tracer = ['strace', '-f', '-qq', '-o', '/dev/null', ...slowReads]
let beganMs = 0
let labs: Record<'origin' | 'internet' | 'client' | 'single' | 'expired' | 'disk', Lab>

beforeAll(async () => {
  const fast = startOrigin(() => Bun.sleep(0))
  // Without times of requests, four times as slow counts: a busy machine slows down both of them.
  let othersMs = 60
  const uneven = startOrigin((depot) => Bun.sleep(depot === 1 ? 8 * othersMs : 60))
  const narrow = startOrigin(sharedLine(60))
  const far = startOrigin(() => Bun.sleep(150))
  const [origin, internet, client, single, expired, disk] = await Promise.all([
    startNginx('origin', { originPort: uneven }),
    startNginx('internet', { originPort: narrow }),
    startNginx('client', { originPort: fast }),
    startNginx('single', { originPort: fast, lines: 'proxy_cache_valid 200 1h; limit_rate 1m;' }),
    startNginx('expired', {
      originPort: far,
      lines: 'proxy_cache_valid 200 1s; proxy_cache_revalidate on;',
    }),
    startNginx('disk', { originPort: fast, tracer }),
  ])
  labs = { origin, internet, client, single, expired, disk }
  await Promise.all([
    ...[client, single, disk].flatMap((lab) => [fill(lab, 1, 8), fill(lab, 2, 8)]),
    fill(expired, 1, 16),
  ])
  await eventually(() => Date.now() % 1000 < 100, 'a second begins')
  beganMs = Date.now()
  await Promise.all([
    use(origin, { from: first, depot: 1, count: 2, chunksMin: 12 }),
    use(origin, { from: second, depot: 2, count: 2, onChunk: (ms) => (othersMs = ms) }),
    use(internet, { from: first, depot: 1, count: 4 }),
    use(internet, { from: second, depot: 2, count: 3 }),
    readSlowly(client, { from: first, depot: 1, chunks: 8 }),
    use(client, { from: second, depot: 2, count: 2, chunks: 8, pauseMs: 40 }),
    use(single, { from: first, depot: 1, chunks: 8 }),
    use(single, { from: second, depot: 2, count: 5, chunks: 8 }),
    use(expired, { from: first, depot: 1, chunks: 16 }),
    use(disk, { from: first, depot: 1, count: 2, chunks: 8 }),
    use(disk, { from: second, depot: 2, count: 2, chunks: 8 }),
    use(client, { from: '127.0.0.13', depot: 3, untilMs: 1500, pauseMs: 100 }),
  ])
}, 60_000)

test('a game whose own server is slow, beside another from the internet', async () => {
  expect(await verdicts(labs.origin, { from: first, depot: 1 })).toEqual(['origin', 'origin'])
  // That nothing else was faster does not prove what limits the other one.
  const other = await verdicts(labs.origin, { from: second, depot: 2 })
  expect(other).toEqual(['notEnoughData', 'notEnoughData'])
})

test('a line that is too narrow for everybody', async () => {
  for (const [from, depot] of [
    [first, 1],
    [second, 2],
  ] as const) {
    expect(await verdicts(labs.internet, { from, depot })).toEqual(['internet', 'internet'])
  }
})

test('a client that takes its time while another does not', async () => {
  const both = await verdicts(labs.client, { from: first, depot: 1 })
  expect(both).toEqual(['clientNetwork', 'clientNetwork'])
})

test('one connection beside five; without times of requests it is a slow client', async () => {
  const both = await verdicts(labs.single, { from: first, depot: 1 })
  expect(both).toEqual(['singleConnection', 'clientNetwork'])
})

test('a proxy that asks the origin about every file', async () => {
  const both = await verdicts(labs.expired, { from: first, depot: 1 })
  expect(both).toEqual(['revalidation', 'revalidation'])
})

test('a disk that is slow for everybody', async () => {
  const before = { bestOfClients: new Map([first, second].map((ip) => [ip, 100_000_000])) }
  for (const [from, depot] of [
    [first, 1],
    [second, 2],
  ] as const) {
    expect(await verdicts(labs.disk, { from, depot }, before)).toEqual(['cacheDisk', 'cacheDisk'])
  }
  const idle = { ...before, disk: { busy: 0.1, waiting: 0.01 } }
  expect(await verdicts(labs.disk, { from: first, depot: 1 }, idle)).not.toContain('cacheDisk')
})

test('a short download, or none, has no verdict', async () => {
  const short = await verdictOf(labs.client.timed, { from: '127.0.0.13', depot: 3 })
  expect(short).toMatchObject({ verdict: 'notEnoughData', reason: 'short' })
  const none = await verdictOf(labs.client.timed, { from: '127.0.0.14', depot: 3 })
  expect(none).toMatchObject({ verdict: 'notEnoughData', reason: 'notInLog' })
})
