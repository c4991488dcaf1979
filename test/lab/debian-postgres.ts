import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { cleanups } from '../support/cleanup.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { freePort } from './free-port.ts'

const serverPackages = '/usr/lib/postgresql'
/** Postgres refuses to run as root; this is Debian's `nobody`. */
const unprivileged = 65_534

function binaries(): string {
  const [version] = readdirSync(serverPackages).sort((a, b) => Number(b) - Number(a))
  if (version === undefined) throw new Error('no Postgres server is installed')
  return join(serverPackages, version, 'bin')
}

/** The distribution's Postgres over TCP, like an operator's own server. */
export class DebianPostgres {
  readonly port: number
  readonly password = 'external-Secret-26'
  readonly #root: string
  readonly #settings: readonly string[]
  readonly #identity = process.getuid?.() === 0 ? { uid: unprivileged, gid: unprivileged } : {}

  private constructor(port: number, settings: readonly string[]) {
    this.port = port
    this.#settings = settings
    this.#root = tempFolder('external')
    if (process.getuid?.() === 0) chownSync(this.#root, unprivileged, unprivileged)
    // A server that a test has stopped or killed is gone already.
    cleanups.push(() => Promise.resolve(this.kill()))
  }

  /** `settings` are lines of postgresql.conf. */
  static async create(settings: readonly string[] = []): Promise<DebianPostgres> {
    const server = new DebianPostgres(await freePort(), settings)
    const passwordFile = join(server.#root, 'password')
    writeFileSync(passwordFile, `${server.password}\n`, { mode: 0o644 })
    server.#run('initdb', [
      '-D',
      server.#data,
      '--username=larder',
      '--auth=scram-sha-256',
      `--pwfile=${passwordFile}`,
      '--encoding=UTF8',
      '--no-locale',
    ])
    server.start()
    server.execute('create database larder', 'postgres')
    return server
  }

  /** A streaming replica of this server. */
  async replicate(): Promise<DebianPostgres> {
    const replica = new DebianPostgres(await freePort(), [])
    const from = ['-h', '127.0.0.1', '-p', String(this.port), '-U', 'larder']
    const how = ['--write-recovery-conf', '--wal-method=stream', '--checkpoint=fast']
    replica.#run('pg_basebackup', [...from, ...how, '-D', replica.#data])
    replica.start()
    return replica
  }

  /** From now on it commits nothing that its replica does not have. */
  commitWithReplica(): void {
    this.execute("alter system set synchronous_standby_names = '*'")
    this.execute('select pg_reload_conf()')
  }

  get #data(): string {
    return join(this.#root, 'data')
  }

  start(): void {
    const sockets = join(this.#root, 'sockets')
    mkdirSync(sockets, { recursive: true })
    if (process.getuid?.() === 0) chownSync(sockets, unprivileged, unprivileged)
    const set = ['listen_addresses=127.0.0.1', 'fsync=off', ...this.#settings]
    const options = [`-p ${this.port} -k ${sockets}`, ...set.map((line) => `-c ${line}`)].join(' ')
    const log = join(this.#root, 'server.log')
    this.#run('pg_ctl', ['-D', this.#data, '-o', options, '-l', log, '-w', 'start'])
  }

  stop(): void {
    this.#run('pg_ctl', ['-D', this.#data, '-m', 'fast', '-w', 'stop'])
  }

  /** Ends it like a power cut. */
  kill(): void {
    const file = join(this.#data, 'postmaster.pid')
    if (!existsSync(file)) return
    try {
      process.kill(Number(readFileSync(file, 'utf8').split('\n')[0]), 'SIGKILL')
    } catch {
      // The file is what an earlier kill left.
    }
  }

  /** Makes a primary of a replica. */
  promote(): void {
    this.#run('pg_ctl', ['-D', this.#data, '-w', 'promote'])
  }

  /** Runs a statement as the superuser. */
  execute(statement: string, database = 'larder'): void {
    const connection = ['-h', '127.0.0.1', '-p', String(this.port), '-U', 'larder']
    this.#run('psql', [...connection, '-v', 'ON_ERROR_STOP=1', '-c', statement, database])
  }

  #run(program: string, parameters: string[]): void {
    const { exitCode, stderr } = Bun.spawnSync([join(binaries(), program), ...parameters], {
      cwd: this.#root,
      env: { PATH: '/usr/bin:/bin', PGPASSWORD: this.password, LC_ALL: 'C' },
      stdin: 'ignore',
      stdout: 'ignore',
      stderr: program === 'pg_ctl' ? 'ignore' : 'pipe',
      ...this.#identity,
    })
    if (exitCode !== 0) throw new Error(`${program} failed: ${stderr?.toString() ?? ''}`)
  }
}
