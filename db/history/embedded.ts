import { chmodSync, chownSync, existsSync, lstatSync, mkdirSync, realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Config } from '../../src/core/config.ts'
import type { Logger } from '../../src/core/lib/log.ts'
import { holdLock, LockHeld } from '../lock.ts'
import { credentialsPath, readCredentials, writeCredentials } from './credentials.ts'
import { chooseAccount, type ServerAccount } from './embedded/account.ts'
import { findBinaries } from './embedded/binaries.ts'
import { prepareCluster, type Cluster } from './embedded/cluster.ts'
import { stopOrphan } from './embedded/orphan.ts'
import { startServer, type Server } from './embedded/server.ts'
import { HistoryFault } from './failures.ts'

/** Longest path of a Unix socket on Linux, without the closing zero byte. */
const socketPathMax = 107
const socketName = '.s.PGSQL.5432'

/**
 * The private server's address never changes: it is a socket, so the port is only part of its name.
 */
export const embeddedPort = 5432

/** A private directory for the socket: short enough, closed to everyone else. */
function prepareSocketDirectory(dataPath: string, account: ServerAccount): string {
  const directory = socketDirectory(dataPath)
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const stat = lstatSync(directory)
  // In the shared temporary directory, another user could have created it before.
  const known = [account.uid, process.getuid?.() ?? account.uid]
  const isOurs = directory.startsWith(dataPath) || known.includes(stat.uid)
  if (!stat.isDirectory() || !isOurs) {
    throw new HistoryFault(`${directory} belongs to another user: delete it`)
  }
  chownSync(directory, account.uid, account.gid)
  chmodSync(directory, 0o700)
  return directory
}

/** `<dataPath>/run`, or a directory below the system's temporary one when that is too long. */
export function socketDirectory(dataPath: string): string {
  const beside = join(dataPath, 'run')
  if (Buffer.byteLength(join(beside, socketName)) <= socketPathMax) return beside
  const mark = new Bun.CryptoHasher('sha256').update(dataPath).digest('hex').slice(0, 12)
  return join(tmpdir(), `larder-${mark}`)
}

/** While holding the lock, a running server is an orphan of a dead parent. */
function lockCluster(dataPath: string): () => void {
  try {
    return holdLock(join(dataPath, 'postgres.lock'))
  } catch (cause) {
    if (!(cause instanceof LockHeld)) throw cause
    throw new HistoryFault('Another instance of this service uses the same data directory', {
      cause,
    })
  }
}

interface Role {
  user: string
  password: string
  /** The server needs an update: nothing was stored, or the environment has another password. */
  isNewPassword: boolean
}

/** Environment first, then the stored file, then a generated password. */
function chooseRole(config: Config): Role {
  const stored = readCredentials(config.dataPath)
  const password = config.postgres.password ?? stored?.password ?? null
  const user = stored?.username ?? config.postgres.user
  const isNewPassword = stored === null || stored.password !== password
  if (password !== null) return { user, password, isNewPassword }
  const random = crypto.getRandomValues(new Uint8Array(24))
  return { user, password: Buffer.from(random).toString('base64url'), isNewPassword: true }
}

/** The private Postgres: a child process on a Unix socket inside the data directory. */
export interface EmbeddedPostgres {
  /** Resolves when it accepts connections; throws HistoryFault. Stops an orphan first. */
  start(signal: AbortSignal, onInitialise: () => void): Promise<Server>
  /** The server refused role, password or database: the next start sets them up again. */
  distrustPassword(): void
  /** The server's credentials were changed and stored: they are read again. */
  forgetRole(): void
  role(): { user: string; password: string }
  /** Releases the data directory for another process; the server must be stopped before. */
  release(): void
}

/** Changes nothing before `start`. */
export function createEmbedded(config: Config, log: Logger): EmbeddedPostgres {
  let role: Role | null = null
  let unlock: (() => void) | null = null
  let isDistrusted = false

  const currentRole = () => (role ??= chooseRole(config))

  async function prepare(signal: AbortSignal, onInitialise: () => void): Promise<Cluster> {
    mkdirSync(config.dataPath, { recursive: true })
    unlock ??= lockCluster(config.dataPath)
    const account = chooseAccount(config.dataPath, config.owner)
    // Postgres compares and reports resolved paths.
    const dataDirectory = join(realpathSync(config.dataPath), 'postgres')
    const binaries = findBinaries(config.dataPath, account)
    if (existsSync(dataDirectory) && (await stopOrphan(dataDirectory))) {
      log.warn('stopped a Postgres that an earlier run left behind')
    }
    const directory = prepareSocketDirectory(config.dataPath, account)
    const cluster = { dataDirectory, socketDirectory: directory, account, binaries }
    const { user, password, isNewPassword } = currentRole()
    const isNew = isNewPassword || isDistrusted
    const { database } = config.postgres
    const serviceRole = { user, password, database, isNewPassword: isNew }
    await prepareCluster(cluster, { ...serviceRole, signal, onInitialise })
    if (isNew) {
      const stored = readCredentials(config.dataPath)
      writeCredentials(config.dataPath, { ...stored, username: user, password })
      log.info({ file: credentialsPath(config.dataPath) }, 'stored the database credentials')
    }
    role = { user, password, isNewPassword: false }
    isDistrusted = false
    return cluster
  }

  return {
    role: currentRole,
    async start(signal, onInitialise) {
      return startServer(await prepare(signal, onInitialise), log, signal)
    },
    distrustPassword() {
      // The set-up page may just have stored another one.
      role = null
      isDistrusted = true
    },
    forgetRole() {
      role = null
    },
    release() {
      unlock?.()
      unlock = null
    },
  }
}
