import { expect, test } from 'bun:test'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { filesOf } from '../../db/damage.ts'
import { installationKey } from '../../src/demo/visitor.ts'
import { eventually } from '../support/eventually.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { freePort } from './free-port.ts'
import { labAccount, Larder } from './larder.ts'
import { builtService } from '../support/program.ts'

const statusAt = (url: string) =>
  fetch(url).then(
    ({ status }) => status,
    () => 0,
  )

test.each(['missing', 'empty'])(
  'a %s state.sqlite beside a history opens nothing unasked',
  async (how) => {
    const root = tempFolder('lost-state')
    const first = await Larder.startIn(root)
    await first.firstSignIn()
    await first.stop()
    const { dataPath } = first
    for (const file of filesOf(join(dataPath, 'state.sqlite'))) rmSync(file, { force: true })
    if (how === 'empty') writeFileSync(join(dataPath, 'state.sqlite'), '')

    const port = await freePort()
    const logs = join(root, 'logs')
    const child = Bun.spawn([process.execPath, builtService], {
      env: {
        PATH: '/usr/bin:/bin',
        TZ: 'UTC',
        HOST: '127.0.0.1',
        PORT: String(port),
        DATA_PATH: dataPath,
        LanCache__DataSources__0__Name: 'default',
        LanCache__DataSources__0__LogPath: logs,
        LanCache__DataSources__0__CachePath: join(root, 'cache'),
      },
      stdin: 'ignore',
      stdout: 'ignore',
      stderr: 'ignore',
    })
    const url = `http://127.0.0.1:${port}`
    await eventually(async () => (await statusAt(`${url}/health`)) === 503, 'the question is there')
    const html = { headers: { Accept: 'text/html' } }
    const page = await (await fetch(`${url}/`, html)).text()
    expect(page).toContain('is missing or empty')
    expect(page).toContain('<form method="post">')
    const setUp = await fetch(`${url}/api/auth/login`, {
      method: 'POST',
      body: JSON.stringify({ ...labAccount, apiKey: installationKey(dataPath) }),
    })
    expect(setUp.status).toBe(403)
    for (const path of ['/api/stats/dashboard', '/api/auth/status']) {
      expect([path, await statusAt(`${url}${path}`)]).toEqual([path, 503])
    }
    const answer = (key: string) =>
      fetch(`${url}/`, { method: 'POST', body: new URLSearchParams({ key }) })
    expect((await answer('larder_wrong')).status).toBe(403)
    expect(existsSync(join(dataPath, 'state.sqlite'))).toBe(how === 'empty')
    expect((await answer(installationKey(dataPath))).status).toBe(202)
    await eventually(async () => (await statusAt(`${url}/health`)) === 200, 'the service is up')
    const status = (await (await fetch(`${url}/api/auth/status`)).json()) as {
      accountExists?: boolean
    }
    expect(JSON.stringify(status)).not.toContain(labAccount.username)
    child.kill('SIGTERM')
    expect(await child.exited).toBe(0)
  },
)
