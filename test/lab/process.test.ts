import { describe, expect, test } from 'bun:test'
import { chmodSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Larder } from './larder.ts'
import { processesNaming } from './processes.ts'
import { eventually } from '../support/eventually.ts'
import { copyReadyHistory } from '../support/ready-history.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { freePort } from './free-port.ts'
import { builtService } from '../support/program.ts'

const root = tempFolder('process')
// As root, Postgres runs under another account, which must have access.
chmodSync(root, 0o755)
const project = join(import.meta.dir, '../..')
const away = { POSTGRES_MODE: 'external', POSTGRES_HOST: '127.0.0.1', POSTGRES_PORT: '1' }

const folders = (name: string) => ({
  dataPath: join(root, name),
  cachePath: join(root, 'cache'),
  sources: [],
})

/** The service as a child process that may end at once. */
function spawn(environment: Record<string, string>, preload: string[] = []) {
  const child = Bun.spawn([process.execPath, ...preload, builtService], {
    env: { PATH: '/usr/bin:/bin', TZ: 'UTC', HOST: '127.0.0.1', ...away, ...environment },
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'pipe',
  })
  return { child, errors: new Response(child.stderr).text() }
}

/** A refused start: one line, and an exit code that means "do not restart". */
async function expectRefusal(environment: Record<string, string>, reason: string): Promise<void> {
  const { child, errors } = spawn(environment)
  const exitCode = await child.exited
  const lines = (await errors).trim().split('\n')
  expect(lines).toHaveLength(1)
  expect(lines[0]).toContain(`Larder cannot start: ${reason}`)
  expect(exitCode).toBe(78)
}

const signalsCaught = (pid: number): bigint => {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return BigInt(`0x${/^SigCgt:\s+([0-9a-f]+)$/m.exec(status)?.[1] ?? '0'}`)
}
/** SIGTERM is signal 15; the lowest bit is signal 1. */
const catchesTerm = (pid: number) => (signalsCaught(pid) & (1n << 14n)) !== 0n

describe('two instances', () => {
  test('refuses a used port in one line', async () => {
    using other = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response('other') })
    const port = String(other.port)
    const dataPath = join(root, 'port')
    await expectRefusal({ PORT: port, DATA_PATH: dataPath }, `cannot listen on 127.0.0.1:${port}`)
  })

  test('a port and a data folder belong to one service, the folder until that ends in any way', async () => {
    const larder = await Larder.start({ ...folders('shared'), environment: away })
    const { port } = new URL(larder.url)
    await expectRefusal({ PORT: port, DATA_PATH: join(root, 'second') }, 'cannot listen on')
    const wanted = { PORT: String(await freePort()), DATA_PATH: larder.dataPath }
    await expectRefusal(wanted, `another Larder uses the data folder ${larder.dataPath}`)
    expect((await fetch(`${larder.url}/health`)).status).toBe(200)
    await larder.kill()
    const next = await Larder.start({ ...folders('shared'), environment: away })
    expect(await next.stop()).toBe(0)
  })

  test('reports a data folder that cannot be created in one line', async () => {
    writeFileSync(join(root, 'file'), '')
    const dataPath = join(root, 'file', 'data')
    const wanted = { PORT: String(await freePort()), DATA_PATH: dataPath }
    await expectRefusal(wanted, `the data folder ${dataPath} cannot be used`)
  })

  test('reports a file of the data folder that cannot be opened in one line', async () => {
    const dataPath = join(root, 'blocked')
    mkdirSync(join(dataPath, 'hot.sqlite'), { recursive: true })
    const wanted = { PORT: String(await freePort()), DATA_PATH: dataPath }
    await expectRefusal(wanted, `the data folder ${dataPath} cannot be used`)
  })
})

describe('the end', () => {
  test('handles SIGTERM before anything is loaded', async () => {
    const dataPath = join(root, 'early')
    const { child } = spawn({ PORT: String(await freePort()), DATA_PATH: dataPath })
    while (child.exitCode === null && !catchesTerm(child.pid)) await Bun.sleep(1)
    child.kill('SIGTERM')
    expect(await child.exited).toBe(0)
    expect(existsSync(dataPath)).toBe(false)
  })

  test('an uncaught exception stops everything in order, and the next start works', async () => {
    const dataPath = join(root, 'thrown')
    copyReadyHistory(dataPath)
    const preload = join(project, 'test/support/throw-on-signal.ts')
    const port = String(await freePort())
    const settings = { PORT: port, DATA_PATH: dataPath, POSTGRES_MODE: 'embedded' }
    const { child } = spawn(settings, ['--preload', preload])
    const isReady = async () =>
      (await fetch(`http://127.0.0.1:${port}/health/ready`).catch(() => null))?.status === 200
    await eventually(isReady, 'the service is ready')
    child.kill('SIGUSR2')
    expect(await child.exited).toBe(1)
    expect(processesNaming(dataPath)).toEqual([])
    const next = await Larder.start({ ...folders('thrown') })
    expect(await next.stop()).toBe(0)
  })

  test('a Postgres that was stopped by a signal does not outlive the service', async () => {
    const larder = await Larder.start(folders('frozen'))
    await eventually(() => larder.output.includes('history ready'), 'the history is there')
    process.kill(larder.postgresPid() ?? 0, 'SIGSTOP')
    expect(await larder.stop()).toBe(0)
    expect(processesNaming(larder.dataPath)).toEqual([])
  })
})

describe('a started service', () => {
  test('has files that are unreadable for others, and options for a small heap under its own id', async () => {
    const { dataPath } = folders('files')
    mkdirSync(dataPath)
    chmodSync(dataPath, 0o777)
    const names = ['state.sqlite', 'hot.sqlite', 'cache.sqlite']
    for (const name of names) {
      writeFileSync(join(dataPath, name), '')
      chmodSync(join(dataPath, name), 0o666)
    }
    const larder = await Larder.start({ ...folders('files'), environment: away })
    const mode = (name: string) => (statSync(join(dataPath, name)).mode & 0o777).toString(8)
    await eventually(() => existsSync(join(dataPath, 'cache.sqlite-wal')), 'all databases are open')
    for (const name of names.flatMap((it) => [it, `${it}-wal`, `${it}-shm`])) {
      expect([name, mode(name)]).toEqual([name, '600'])
    }
    expect(mode('.')).toBe('700')
    const environment = readFileSync(`/proc/${larder.pid}/environ`, 'utf8').split('\0')
    expect(environment).toContain('BUN_JSC_forceRAMSize=100663296')
    expect(environment).toContain('POSTGRES_MODE=external')
    expect(await larder.stop()).toBe(0)
  })
})
