import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Visitor } from '../../src/demo/visitor.ts'
import { freePort } from '../lab/free-port.ts'
import { Larder } from '../lab/larder.ts'
import { logLine } from '../support/log-lines.ts'

const rounds = 50
const pollMs = 5
const timeoutMs = 5000
/** Long enough for the speed window to be empty again now and then, and never in step with it. */
const pauseMs = { low: 150, step: 37 }

export interface Latencies {
  /** The very first line of a log that was empty until then, milliseconds. */
  first: number
  /** Written to visible in `/api/Speeds/current`, milliseconds. */
  api: number[]
  /** Written to received over the socket, milliseconds. */
  hub: number[]
}

const lineOf = (client: string): string =>
  logLine({ at: Math.floor(Date.now() / 1000), client, bytes: 1_048_576 })

/** Writes single lines of new clients and waits until each is seen on both ways. */
export async function timeLive(root: string): Promise<Latencies> {
  const logPath = join(root, 'live-logs')
  const file = join(logPath, 'access.log')
  mkdirSync(logPath)
  writeFileSync(file, '')
  const sources = [{ name: 'live', logPath }]
  const dataPath = join(root, 'live-data')
  const larder = await Larder.start({ dataPath, cachePath: join(root, 'cache'), sources })
  const visitor = await larder.firstSignIn()
  const frames: string[] = []
  const url = `${larder.url.replace('http', 'ws')}/hubs/downloads`
  const socket = new WebSocket(url, { headers: { cookie: visitor.cookieHeader } })
  socket.addEventListener('message', ({ data }) => void frames.push(String(data)))
  await new Promise((resolve) => socket.addEventListener('open', resolve, { once: true }))
  const latencies: Latencies = { first: 0, api: [], hub: [] }
  for (let round = 0; round <= rounds; round++) {
    const client = `10.77.0.${round + 1}`
    frames.length = 0
    const writtenMs = performance.now()
    appendFileSync(file, lineOf(client))
    const [api, hub] = await Promise.all([
      since(writtenMs, () => isInApi(visitor, client)),
      since(writtenMs, () => frames.some((frame) => frame.includes(`"${client}"`))),
    ])
    if (round === 0) latencies.first = api
    else {
      latencies.api.push(api)
      latencies.hub.push(hub)
    }
    await Bun.sleep(pauseMs.low + ((round * pauseMs.step) % 500))
  }
  socket.close()
  await larder.stop()
  return latencies
}

async function isInApi(visitor: Visitor, client: string): Promise<boolean> {
  const { clientSpeeds } = await visitor.read<{ clientSpeeds: { clientIp: string }[] }>(
    '/api/Speeds/current',
  )
  return clientSpeeds.some(({ clientIp }) => clientIp === client)
}

async function since(
  startMs: number,
  condition: () => boolean | Promise<boolean>,
): Promise<number> {
  while (!(await condition())) {
    if (performance.now() - startMs > timeoutMs) return timeoutMs
    await Bun.sleep(pollMs)
  }
  return performance.now() - startMs
}

/** First and later start to an answer of `/health`, milliseconds. */
export async function timeStarts(root: string, laterStarts: number) {
  const options = {
    dataPath: join(root, 'start-data'),
    cachePath: join(root, 'cache'),
    sources: [],
  }
  const once = async (): Promise<number> => {
    const port = await freePort()
    const startMs = performance.now()
    const started = Larder.start(options, port)
    // The wait for a start asks more and more rarely.
    const answers = () =>
      fetch(`http://127.0.0.1:${port}/health`).then(
        ({ ok }) => ok,
        () => false,
      )
    const ms = await since(startMs, answers)
    await (await started).stop()
    return ms
  }
  const first = await once()
  const later: number[] = []
  for (let count = 0; count < laterStarts; count++) later.push(await once())
  return { first, later }
}
