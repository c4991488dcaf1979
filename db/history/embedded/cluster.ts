import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { randomText } from '../../../src/core/lib/secret-file.ts'
import { HistoryFault } from '../failures.ts'
import { handOver, runAs, type ServerAccount } from './account.ts'
import type { Binaries } from './binaries.ts'
import { bootstrapName, roleScript, type ServiceRole } from './service-role.ts'

/** Properties of a private server that stay the same while it runs. */
export interface Cluster {
  dataDirectory: string
  socketDirectory: string
  account: ServerAccount
  binaries: Binaries
}

/** The server's programs do not inherit our environment: it contains secrets. */
export const serverEnvironment = {
  PATH: '/usr/local/bin:/usr/bin:/bin',
  LC_ALL: 'C',
  TZ: 'UTC',
}

const outputMaxCharacters = 2000
const lineMaxCharacters = 500

interface Run {
  command: string[]
  input: string
  signal: AbortSignal
}

/** Returns the program's error output. */
async function run(cluster: Cluster, { command, input, signal }: Run): Promise<string> {
  const { command: words, identity } = runAs(cluster.account, command)
  const child = Bun.spawn(words, {
    ...identity,
    env: serverEnvironment,
    stdin: new Blob([input]),
    stdout: 'ignore',
    stderr: 'pipe',
    signal,
  })
  const [status, errors] = await Promise.all([child.exited, new Response(child.stderr).text()])
  if (signal.aborted) throw new HistoryFault('Stopped while Postgres was being set up')
  if (status === 0) return errors
  const isNameless = errors.includes('could not look up effective user ID')
  const remedy = isNameless ? '. Add the user to /etc/passwd, or run Larder as another one' : ''
  const reason = `${errors.trim().slice(-outputMaxCharacters)}${remedy}`
  throw new HistoryFault(`Postgres could not set up ${cluster.dataDirectory}: ${reason}`)
}

/** Creates the data directory under a temporary name and moves it when complete. */
async function initialise(cluster: Cluster, setup: SetUp): Promise<void> {
  const fresh = `${cluster.dataDirectory}.new`
  rmSync(fresh, { recursive: true, force: true })
  mkdirSync(fresh, { mode: 0o700 })
  handOver(fresh, cluster.account)
  const superuser = bootstrapName(setup.user)
  const command = [cluster.binaries.initdb, '-D', fresh, '-U', superuser, '-E', 'UTF8']
  command.push('--no-locale', '-A', 'scram-sha-256', '--pwfile=/dev/stdin', '--no-instructions')
  // Required by `initdb`, and removed again when the role of the service is created.
  await run(cluster, { command, input: `${randomText(24)}\n`, signal: setup.signal })
  renameSync(fresh, cluster.dataDirectory)
}

const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`

/** Small on purpose: one machine, one writer, a handful of readers. Rewritten at every start. */
const settings = (socketDirectory: string) => `# Written by the service at every start.
# Your own settings belong into custom.conf beside this file.
listen_addresses = ''
unix_socket_directories = ${quoted(socketDirectory)}
unix_socket_permissions = 0700
max_connections = 20
shared_buffers = 32MB
work_mem = 8MB
temp_buffers = 1MB
maintenance_work_mem = 32MB
effective_cache_size = 256MB
huge_pages = off
jit = off
max_worker_processes = 4
max_parallel_workers = 2
max_parallel_workers_per_gather = 1
max_parallel_maintenance_workers = 1
io_method = sync
wal_level = minimal
max_wal_senders = 0
max_logical_replication_workers = 0
min_wal_size = 32MB
max_wal_size = 512MB
checkpoint_timeout = 15min
autovacuum_max_workers = 1
autovacuum_vacuum_scale_factor = 0.1
random_page_cost = 2
timezone = 'UTC'
log_timezone = 'UTC'
log_line_prefix = ''
log_min_messages = warning
log_min_error_statement = panic
log_checkpoints = off
password_encryption = 'scram-sha-256'
idle_in_transaction_session_timeout = 5min
include_if_exists = 'custom.conf'
`

const accessRules = '# Written by the service at every start.\nlocal all all scram-sha-256\n'

function writeOwned(cluster: Cluster, name: string, text: string): void {
  const path = join(cluster.dataDirectory, name)
  writeFileSync(path, text, { mode: 0o600 })
  handOver(path, cluster.account)
}

/** An incomplete data directory is not recreated: the rest may be all that is left of a history. */
const partLost = (path: string, file: string) =>
  new HistoryFault(
    `The history cannot be started: ${path} has no file ${file}, so a part of it is lost. Restore ` +
      'the whole folder from a backup, or move it away to begin with an empty history',
  )

function checkMajor(cluster: Cluster): void {
  const found = readFileSync(join(cluster.dataDirectory, 'PG_VERSION'), 'utf8').trim()
  const { major } = cluster.binaries
  if (found === String(major)) return
  throw new HistoryFault(
    `The history was written by Postgres ${found}, this service brings Postgres ${major}: ` +
      `start the version of the service that wrote it, or move ${cluster.dataDirectory} away`,
  )
}

/** Single-user mode continues after an error and logs it. */
async function inSingleMode(
  cluster: Cluster,
  { lines, signal }: { lines: string[]; signal: AbortSignal },
): Promise<void> {
  const command = [cluster.binaries.postgres, '--single', '-D', cluster.dataDirectory]
  command.push('-c', `config_file=${join(cluster.dataDirectory, 'service.conf')}`, 'postgres')
  const said = await run(cluster, { command, input: `${lines.join('\n')}\n`, signal })
  const isExpected = (line: string) => /^ERROR:\s+database ".*" already exists$/.test(line)
  const error = said
    .split('\n')
    .find((line) => /^(ERROR|FATAL|PANIC):/.test(line) && !isExpected(line))
  if (error === undefined) return
  throw new HistoryFault(`Postgres could not set up its role: ${error.slice(0, lineMaxCharacters)}`)
}

/** The role for which the cluster was last set up; absent until that is complete. */
const markName = 'service-role.json'

function markOf(cluster: Cluster): { user: string; database: string } | null {
  try {
    // Written below, as a whole.
    const text = readFileSync(join(cluster.dataDirectory, markName), 'utf8')
    return JSON.parse(text) as { user: string; database: string }
  } catch {
    return null
  }
}

/**
 * Creates the service's role, which is no superuser, and its database; in single-user mode, because
 * no role with the required privilege can sign in. Only if something of it changed, or on the first
 * start.
 */
async function setUpRole(cluster: Cluster, setup: SetUp): Promise<void> {
  const { user, database, signal } = setup
  const mark = markOf(cluster)
  const isKnown = mark?.user === user && mark.database === database
  if (isKnown && !setup.isNewPassword) return
  const lines = roleScript(setup, mark?.user ?? null)
  await inSingleMode(cluster, { lines, signal })
  writeOwned(cluster, markName, JSON.stringify({ user, database }))
}

export interface SetUp extends ServiceRole {
  /** The server does not have this password yet. */
  isNewPassword: boolean
  signal: AbortSignal
  /** Called before the one slow step of a first start. */
  onInitialise: () => void
}

/** Prepares the data directory: created, owned, configured. No server may be running. */
export async function prepareCluster(cluster: Cluster, setup: SetUp): Promise<void> {
  const isFirst = !existsSync(join(cluster.dataDirectory, 'PG_VERSION'))
  const { dataDirectory } = cluster
  if (isFirst) {
    const isFilled = existsSync(dataDirectory) && readdirSync(dataDirectory).length > 0
    if (isFilled) throw partLost(dataDirectory, 'PG_VERSION')
    setup.onInitialise()
    await initialise(cluster, setup)
  }
  checkMajor(cluster)
  const control = join('global', 'pg_control')
  if (!existsSync(join(dataDirectory, control))) throw partLost(dataDirectory, control)
  chmodSync(cluster.dataDirectory, 0o700)
  handOver(cluster.dataDirectory, cluster.account)
  writeOwned(cluster, 'service.conf', settings(cluster.socketDirectory))
  writeOwned(cluster, 'pg_hba.conf', accessRules)
  await setUpRole(cluster, setup)
}
