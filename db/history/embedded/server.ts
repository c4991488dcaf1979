import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Logger } from '../../../src/core/lib/log.ts'
import { HistoryFault } from '../failures.ts'
import { endsWithin } from '../../../src/core/lib/within.ts'
import { runAs } from './account.ts'
import { serverEnvironment, type Cluster } from './cluster.ts'
import { signalServer } from './signals.ts'

/** Long enough for the recovery of a full write-ahead log on a slow disk. */
const startLimitMs = 300_000
const readyPollMs = 10
// Together well below the time limit for stopping the service.
const fastStopMs = 8000
const immediateStopMs = 2000
const stopSteps = [
  ['SIGINT', fastStopMs],
  ['SIGQUIT', immediateStopMs],
  ['SIGKILL', 0],
] as const
const lineMaxCharacters = 500
const keptLines = 5
/** The log pipe stays open as long as any process of the server lives. */
const lastWordsMs = 500

/** A running server: our child. */
export interface Server {
  pid: number
  /** Resolves when the process is gone, for whatever reason, with its last log lines. */
  exited: Promise<string>
  /** Fast shutdown, then an immediate one, then SIGKILL. Resolves when no process is left. */
  stop(): Promise<void>
}

const levels = [
  [/^PANIC:/, 'warn'],
  [/^(?:FATAL|ERROR|WARNING):/, 'debug'],
] as const

/** Forwards the server's log and keeps its last lines for the message of a failed start. */
async function follow(stream: ReadableStream<Uint8Array>, kept: string[], log: Logger) {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of stream) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = (lines.pop() ?? '').slice(0, lineMaxCharacters)
    for (const line of lines) {
      const text = line.slice(0, lineMaxCharacters)
      log[levels.find(([pattern]) => pattern.test(text))?.[1] ?? 'trace']({ text }, 'postgres says')
      if (/^(?:FATAL|PANIC|LOG|HINT|DETAIL):/.test(text)) kept.push(text)
      if (kept.length > keptLines) kept.shift()
    }
  }
}

/** The eighth line of the pid file is the server's status; `pg_ctl` reads it, too. */
function isReady(dataDirectory: string): boolean {
  try {
    const lines = readFileSync(join(dataDirectory, 'postmaster.pid'), 'utf8').split('\n')
    return lines[7]?.trim() === 'ready'
  } catch {
    return false
  }
}

/**
 * Starts the server and waits until it accepts connections. Throws HistoryFault with its reason.
 */
export async function startServer(
  cluster: Cluster,
  log: Logger,
  signal: AbortSignal,
): Promise<Server> {
  const configFile = join(cluster.dataDirectory, 'service.conf')
  const words = [cluster.binaries.postgres, '-D', cluster.dataDirectory]
  words.push('-c', `config_file=${configFile}`)
  const { command, identity } = runAs(cluster.account, words)
  const child = Bun.spawn(command, {
    ...identity,
    env: serverEnvironment,
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'pipe',
  })
  const kept: string[] = []
  const followed = follow(child.stderr, kept, log)
  const exited = child.exited.then(async () => {
    await endsWithin(followed, lastWordsMs)
    return kept.join(' ')
  })
  // Also when the service exits without waiting for it.
  const endWithUs = () => signalServer(child.pid, 'SIGQUIT')
  process.once('exit', endWithUs)
  const server: Server = {
    pid: child.pid,
    exited,
    async stop() {
      for (const [kind, limitMs] of stopSteps) {
        if (child.exitCode !== null || child.signalCode !== null) break
        signalServer(child.pid, kind)
        if (await endsWithin(child.exited, limitMs)) break
      }
      await child.exited
    },
  }
  void child.exited.then(() => process.off('exit', endWithUs))
  await untilReady(server, cluster.dataDirectory, signal)
  return server
}

async function untilReady(server: Server, dataDirectory: string, signal: AbortSignal) {
  const deadline = performance.now() + startLimitMs
  let lastWords: string | null = null
  void server.exited.then((words) => (lastWords = words))
  while (!isReady(dataDirectory)) {
    if (lastWords !== null) throw new HistoryFault(`Postgres did not start: ${String(lastWords)}`)
    if (signal.aborted || performance.now() > deadline) {
      await server.stop()
      throw new HistoryFault('Postgres did not become ready in time')
    }
    await Bun.sleep(readyPollMs)
  }
}
