import { chownSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
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
  readonly #identity = process.getuid?.() === 0 ? { uid: unprivileged, gid: unprivileged } : {}

  private constructor(port: number) {
    this.port = port
    this.#root = tempFolder('external')
    if (process.getuid?.() === 0) chownSync(this.#root, unprivileged, unprivileged)
  }

  static async create(): Promise<DebianPostgres> {
    const server = new DebianPostgres(await freePort())
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
    server.#run('psql', ['-c', 'create database larder', 'postgres'])
    return server
  }

  get #data(): string {
    return join(this.#root, 'data')
  }

  start(): void {
    const sockets = join(this.#root, 'sockets')
    mkdirSync(sockets, { recursive: true })
    if (process.getuid?.() === 0) chownSync(sockets, unprivileged, unprivileged)
    const options = `-p ${this.port} -k ${sockets} -c listen_addresses=127.0.0.1 -c fsync=off`
    const log = join(this.#root, 'server.log')
    this.#run('pg_ctl', ['-D', this.#data, '-o', options, '-l', log, '-w', 'start'])
  }

  stop(): void {
    this.#run('pg_ctl', ['-D', this.#data, '-m', 'fast', '-w', 'stop'])
  }

  #run(program: string, parameters: string[]): void {
    const connection = ['-h', '127.0.0.1', '-p', String(this.port), '-U', 'larder']
    const all = program === 'psql' ? [...connection, ...parameters] : parameters
    const { exitCode, stderr } = Bun.spawnSync([join(binaries(), program), ...all], {
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
