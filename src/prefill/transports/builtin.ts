import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../../core/lib/clock.ts'
import type { Logger } from '../../core/lib/log.ts'
import { randomText } from '../../core/lib/secret-file.ts'
import type { CredentialName, Credentials } from '../../core/secrets/credentials.ts'
import type { Platform } from '../platforms.ts'
import { sessionFolders, startTicksOf, type DaemonNote } from './builtin-folder.ts'
import {
  TransportError,
  type AdoptedDaemon,
  type FindCacheAddress,
  type RunningDaemon,
  type SessionSpec,
  type Transport,
} from './contract.ts'

/** Longest path that a unix socket can have, in bytes. */
const socketPathBytesMax = 107
const secretBytes = 32
/** How long a daemon may take to end after SIGTERM. */
const endMs = 2000
const pollMs = 20
/** Of a daemon's output, logged when it ends by itself. */
const outputCharsMax = 2000

export interface BuiltinParts {
  basePath: string
  /** File of the daemon's program. */
  program: string
  clock: Clock
  log: Logger
  credentials: Pick<Credentials, 'read' | 'keep' | 'forget'>
  findCache: FindCacheAddress
}

const credentialOf = (platform: Platform): CredentialName => `prefill.${platform}Secret`
const isAlive = ({ pid, startTicks }: DaemonNote) => startTicksOf(pid) === startTicks

function signal(note: DaemonNote, name: 'SIGTERM' | 'SIGKILL'): void {
  // A process id that was given to another process is left alone.
  if (!isAlive(note)) return
  try {
    process.kill(note.pid, name)
  } catch {
    // It ended in between.
  }
}

async function end(note: DaemonNote, isForced: boolean): Promise<void> {
  if (!isForced) {
    signal(note, 'SIGTERM')
    for (let waitedMs = 0; waitedMs < endMs && isAlive(note); waitedMs += pollMs) {
      await Bun.sleep(pollMs)
    }
  }
  signal(note, 'SIGKILL')
}

function outputOf(folder: string): string {
  try {
    return readFileSync(join(folder, 'output.log'), 'utf8').slice(-outputCharsMax)
  } catch {
    return ''
  }
}

/**
 * Runs our own daemons as child processes: a unix socket and a secret per session, in a folder that
 * only our user can open. They end with the service; after a kill the next process finds persistent
 * ones again and ends all others.
 */
export function builtinTransport(parts: BuiltinParts): Transport {
  const { basePath, program, log, credentials, findCache } = parts
  const folders = sessionFolders(basePath)
  const running = new Map<string, DaemonNote>()
  const storeOf = (platform: Platform) => join(basePath, 'builtin', platform)

  function environment(spec: SessionSpec, socketPath: string, secret: string) {
    const folder = folders.folderOf(spec.sessionId)
    // Persistent sessions keep the sign-in of their platform; others take it with them.
    const configPath = spec.isPersistent ? storeOf(spec.platform) : join(folder, 'config')
    mkdirSync(configPath, { recursive: true, mode: 0o700 })
    return {
      PATH: '/usr/local/bin:/usr/bin:/bin',
      HOME: configPath,
      PREFILL_SOCKET_PATH: socketPath,
      PREFILL_SOCKET_SECRET: secret,
      PREFILL_CONFIG_DIR: configPath,
      PREFILL_CACHE_DIR: join(storeOf(spec.platform), 'cache'),
      ...(spec.maxLifetimeSeconds !== null && {
        PREFILL_MAX_LIFETIME_SECONDS: String(spec.maxLifetimeSeconds),
      }),
    }
  }

  function spawn(spec: SessionSpec, env: Record<string, string>): DaemonNote {
    const folder = folders.folderOf(spec.sessionId)
    const output = openSync(join(folder, 'output.log'), 'w', 0o600)
    try {
      const child = Bun.spawn([process.execPath, program, spec.platform], {
        cwd: folder,
        env,
        stdio: ['ignore', output, output],
        onExit: (_, code, signalCode) => ended(spec.sessionId, { code, signalCode }),
      })
      child.unref()
      const { platform, sessionId, userId, isPersistent } = spec
      const startTicks = startTicksOf(child.pid) ?? ''
      return { platform, sessionId, userId, isPersistent, pid: child.pid, startTicks }
    } finally {
      closeSync(output)
    }
  }

  function ended(sessionId: string, how: { code: number | null; signalCode: unknown }): void {
    const note = running.get(sessionId)
    if (note === undefined) return
    running.delete(sessionId)
    const output = outputOf(folders.folderOf(sessionId))
    log.warn({ sessionId, platform: note.platform, ...how, output }, 'a prefill daemon ended')
  }

  const daemonOf = (note: DaemonNote, secret: string, cache: RunningDaemon['cache']) => ({
    platform: note.platform,
    sessionId: note.sessionId,
    name: `${note.platform}-prefill-${note.isPersistent ? 'persistent' : note.sessionId}`,
    containerId: null,
    address: { kind: 'unix', path: join(folders.folderOf(note.sessionId), 'd.sock') } as const,
    secret,
    cache,
  })

  async function remove(note: DaemonNote, isForced: boolean): Promise<void> {
    running.delete(note.sessionId)
    await end(note, isForced)
    folders.remove(note.sessionId)
  }

  async function removeForGood(note: DaemonNote, isForced: boolean): Promise<void> {
    await remove(note, isForced)
    if (note.isPersistent) credentials.forget(credentialOf(note.platform))
  }

  function adopted(note: DaemonNote): AdoptedDaemon | null {
    const kept = credentials.read(credentialOf(note.platform))
    if (!note.isPersistent || kept.state !== 'kept' || !isAlive(note)) return null
    const cache = { address: null, source: 'none' } as const
    return { ...daemonOf(note, kept.secret, cache), userId: note.userId }
  }

  return {
    kind: 'builtin',
    isShared: false,
    outlivesService: false,
    isAvailable: async () => existsSync(program),

    async start(spec, aborted) {
      if (!existsSync(program)) {
        throw new TransportError('unavailable', 'Larder’s own prefill daemon is not installed')
      }
      const cache = await findCache(aborted)
      const folder = folders.create(spec.sessionId)
      const socketPath = join(folder, 'd.sock')
      if (Buffer.byteLength(socketPath) > socketPathBytesMax) {
        throw new TransportError('failed', 'The path of the data folder is too long for a socket')
      }
      const secret = randomText(secretBytes)
      const env = {
        ...environment(spec, socketPath, secret),
        ...(cache.address !== null && { LANCACHE_IP: cache.address }),
      }
      const note = spawn(spec, env)
      running.set(spec.sessionId, note)
      folders.write(note)
      if (spec.isPersistent) credentials.keep(credentialOf(spec.platform), secret)
      return daemonOf(note, secret, cache)
    },

    async remove({ sessionId }, { isForced }) {
      const note = running.get(sessionId)
      if (note === undefined) folders.remove(sessionId)
      else await removeForGood(note, isForced)
    },

    async adopt(platform) {
      const found: AdoptedDaemon[] = []
      for (const note of folders.notes()) {
        if (note.platform !== platform) continue
        const daemon = found.length > 0 ? null : adopted(note)
        if (daemon === null) await remove(note, true)
        else {
          running.set(note.sessionId, note)
          found.push(daemon)
        }
      }
      return found
    },

    async removeLogin(platform) {
      const inUse = [...running.values()].some(
        (note) => note.platform === platform && note.isPersistent,
      )
      if (inUse) return 'InUse'
      if (!existsSync(storeOf(platform))) return 'NotFound'
      rmSync(storeOf(platform), { recursive: true, force: true })
      return 'Removed'
    },

    async stop() {
      await Promise.all([...running.values()].map((note) => removeForGood(note, false)))
    },
  }
}
