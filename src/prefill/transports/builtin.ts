import { closeSync, existsSync, mkdirSync, openSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { serverAddressText } from '../../core/lib/cache-network.ts'
import type { Clock } from '../../core/lib/clock.ts'
import type { Logger } from '../../core/lib/log.ts'
import { ownAddresses } from '../../core/lib/own-addresses.ts'
import { readableText } from '../../core/lib/readable.ts'
import { randomText } from '../../core/lib/secret-file.ts'
import type { Credentials } from '../../core/secrets/credentials.ts'
import { removeLoginFiles } from '../daemon/login-file.ts'
import type { Platform } from '../../platforms/platforms.ts'
import { sessionFolders, startTicksOf, type DaemonNote } from './builtin-folder.ts'
import {
  ConnectionLost,
  secretName,
  TransportError,
  type AccountSlot,
  type AdoptedDaemon,
  type FindCacheAddress,
  type LoginRemoval,
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
  /** Added to the environment of daemons. */
  environment: Readonly<Record<string, string>>
  /** Port of the configured address of the cache. */
  cachePort: number
  clock: Clock
  log: Logger
  credentials: Pick<Credentials, 'read' | 'keep' | 'forget'>
  findCache: FindCacheAddress
}

const socketPath = (folder: string) => join(folder, 'd.sock')
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

const endedWith = (how: number | string | null) =>
  new ConnectionLost('unreachable', `The daemon ended (${how}); Larder’s log has its last lines`)

const outputOf = (folder: string): string =>
  readableText(join(folder, 'output.log')).slice(-outputCharsMax)

/**
 * Runs our own daemons as child processes: a unix socket and a secret per session, in a folder that
 * only our user can open. They end with the service; after a kill the next process finds persistent
 * ones again and ends all others.
 */
export class BuiltinTransport implements Transport {
  readonly kind = 'builtin'
  readonly isShared = false
  readonly outlivesService = false
  readonly #parts: BuiltinParts
  readonly #folders: ReturnType<typeof sessionFolders>
  readonly #running = new Map<string, DaemonNote>()

  constructor(parts: BuiltinParts) {
    this.#parts = parts
    this.#folders = sessionFolders(parts.basePath)
  }

  isAvailable(): Promise<boolean> {
    return Promise.resolve(true)
  }

  addressesOf(): Promise<string[]> {
    return Promise.resolve(ownAddresses())
  }

  async start(spec: SessionSpec, signal: AbortSignal): Promise<RunningDaemon> {
    const { credentials, findCache, cachePort } = this.#parts
    const cache = await findCache(signal)
    const folder = this.#folders.create(spec.sessionId)
    if (Buffer.byteLength(socketPath(folder)) > socketPathBytesMax) {
      throw new TransportError('failed', 'The path of the data folder is too long for a socket')
    }
    const secret = randomText(secretBytes)
    const { note, ended } = this.#spawn(spec, {
      ...this.#environment(spec, folder),
      PREFILL_SOCKET_SECRET: secret,
      ...(cache.address !== null && {
        // The port is known only for a configured address.
        LANCACHE_IP: serverAddressText({ host: cache.address, port: cachePort }),
      }),
    })
    this.#running.set(spec.sessionId, note)
    this.#folders.write(note)
    if (spec.isPersistent) credentials.keep(secretName(spec), secret)
    return { ...this.#daemonOf(note, secret, cache), ended }
  }

  #platformFolder(platform: Platform): string {
    return join(this.#parts.basePath, 'builtin', platform)
  }

  /** What an account keeps: its sign-in and its selection. */
  #storeOf({ platform, accountId }: AccountSlot): string {
    const shared = this.#platformFolder(platform)
    return accountId === null ? shared : join(shared, 'accounts', accountId)
  }

  #environment(spec: SessionSpec, folder: string): Record<string, string> {
    // Persistent sessions keep the sign-in of their account; others take it with them.
    const configPath = join(spec.isPersistent ? this.#storeOf(spec) : folder, 'config')
    const shared = this.#platformFolder(spec.platform)
    mkdirSync(configPath, { recursive: true, mode: 0o700 })
    return {
      ...this.#parts.environment,
      PATH: '/usr/local/bin:/usr/bin:/bin',
      HOME: configPath,
      PREFILL_SOCKET_PATH: socketPath(folder),
      PREFILL_CONFIG_DIR: configPath,
      PREFILL_CACHE_DIR: join(shared, 'cache'),
      // What one account has downloaded is up to date for the others.
      ...(spec.isPersistent && { PREFILL_VERSIONS_DIR: join(shared, 'config') }),
      ...(spec.maxLifetimeSeconds !== null && {
        PREFILL_MAX_LIFETIME_SECONDS: String(spec.maxLifetimeSeconds),
      }),
    }
  }

  #spawn(spec: SessionSpec, env: Record<string, string>) {
    const { platform, accountId, sessionId, userId, isPersistent } = spec
    const folder = this.#folders.folderOf(sessionId)
    const ended = new AbortController()
    const output = openSync(join(folder, 'output.log'), 'w', 0o600)
    try {
      const child = Bun.spawn([process.execPath, this.#parts.program, platform], {
        cwd: folder,
        env,
        stdio: ['ignore', output, output],
        onExit: (_, code, signalCode) => {
          this.#ended(sessionId, { code, signalCode })
          ended.abort(endedWith(code ?? signalCode))
        },
      })
      child.unref()
      const startTicks = startTicksOf(child.pid) ?? ''
      const known = { platform, accountId, sessionId, userId, isPersistent }
      const note = { ...known, pid: child.pid, startTicks }
      return { note, ended: ended.signal }
    } finally {
      closeSync(output)
    }
  }

  #ended(sessionId: string, how: { code: number | null; signalCode: unknown }): void {
    const note = this.#running.get(sessionId)
    if (note === undefined) return
    this.#running.delete(sessionId)
    const output = outputOf(this.#folders.folderOf(sessionId))
    const { platform } = note
    this.#parts.log.warn({ sessionId, platform, ...how, output }, 'a prefill daemon ended')
  }

  #daemonOf(note: DaemonNote, secret: string, cache: RunningDaemon['cache']): RunningDaemon {
    const { platform, accountId, sessionId, isPersistent } = note
    const account = accountId === null ? 'persistent' : `persistent-${accountId}`
    return {
      platform,
      accountId,
      sessionId,
      name: `${platform}-prefill-${isPersistent ? account : sessionId}`,
      containerId: null,
      address: { kind: 'unix', path: socketPath(this.#folders.folderOf(sessionId)) },
      secret,
      cache,
    }
  }

  async #end(note: DaemonNote, isForced: boolean): Promise<void> {
    this.#running.delete(note.sessionId)
    await end(note, isForced)
    this.#folders.remove(note.sessionId)
  }

  async remove(daemon: RunningDaemon, { isForced }: { isForced: boolean }): Promise<void> {
    const { sessionId } = daemon
    const note = this.#running.get(sessionId)
    if (note === undefined) return this.#folders.remove(sessionId)
    await this.#end(note, isForced)
    if (note.isPersistent) this.#parts.credentials.forget(secretName(note))
  }

  #adopted(note: DaemonNote): AdoptedDaemon | null {
    const kept = this.#parts.credentials.read(secretName(note))
    if (!note.isPersistent || kept.state !== 'kept' || !isAlive(note)) return null
    const cache = { address: null, source: 'none' } as const
    return { ...this.#daemonOf(note, kept.secret, cache), userId: note.userId }
  }

  async adopt(platform: Platform): Promise<AdoptedDaemon[]> {
    const found: AdoptedDaemon[] = []
    for (const note of this.#folders.notes()) {
      if (note.platform !== platform) continue
      const isKnown = found.some(({ accountId }) => accountId === note.accountId)
      const daemon = isKnown ? null : this.#adopted(note)
      if (daemon === null) await this.#end(note, true)
      else {
        this.#running.set(note.sessionId, note)
        found.push(daemon)
      }
    }
    return found
  }

  async removeLogin(slot: AccountSlot): Promise<LoginRemoval> {
    const { platform, accountId } = slot
    const isUsed = (note: DaemonNote) =>
      note.isPersistent && note.platform === platform && note.accountId === accountId
    if ([...this.#running.values()].some(isUsed)) return 'InUse'
    const folder = this.#storeOf(slot)
    if (accountId === null) {
      return removeLoginFiles(join(folder, 'config')) ? 'Removed' : 'NotFound'
    }
    this.#parts.credentials.forget(secretName(slot))
    const wasThere = existsSync(folder)
    rmSync(folder, { recursive: true, force: true })
    return wasThere ? 'Removed' : 'NotFound'
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#running.values()].map((note) => this.#end(note, false)))
  }
}
