import { afterAll, expect, test } from 'bun:test'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { readConfig } from '../src/core/config.ts'
import { startService } from '../src/service.ts'
import { quietLog } from '../test/support/quiet-log.ts'
import { tempFolder } from '../test/support/temp-folder.ts'

const root = tempFolder('recover')
for (const name of ['data', 'logs', 'cache']) mkdirSync(join(root, name))
const config = readConfig({
  DATA_PATH: join(root, 'data'),
  PORT: '0',
  HOST: '127.0.0.1',
  LanCache__LogPath: join(root, 'logs'),
  LanCache__CachePath: join(root, 'cache'),
  POSTGRES_MODE: 'external',
  POSTGRES_HOST: '127.0.0.1',
  POSTGRES_PORT: '1',
  POSTGRES_PASSWORD: 'unused',
})
const service = await startService(config, quietLog)
afterAll(() => service.stop())

async function run(dataPath: string, url: string) {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, 'recover.ts'), url], {
    env: { DATA_PATH: dataPath, PATH: process.env.PATH ?? '' },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [status, out, errors] = await Promise.all([
    child.exited,
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ])
  return { status, out, errors }
}

test('proves the key to the service and opens recovery', async () => {
  const recover = () =>
    fetch(`${service.url}/api/account-setup/recover-main-admin`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ apiKey: key, username: 'owner', password: 'Recovered-Horse-1' }),
    }).then(async (answer) => (await answer.json()) as { stageKey: string })
  const key = (await Bun.file(join(root, 'data/security/api_key.txt')).text()).trim()
  expect(await recover()).toMatchObject({ stageKey: 'errors.accountSetup.recoveryWindowClosed' })
  const { status, out } = await run(join(root, 'data'), service.url)
  expect(status).toBe(0)
  expect(out).toContain('for an hour')
  expect(out).not.toContain(key)
  // Recovery is open: the next missing item is an owner.
  expect(await recover()).toMatchObject({ stageKey: 'errors.accountSetup.mainAdminNotFound' })
})

test('reports a missing key, a missing service, or a wrong key', async () => {
  const missing = await run(join(root, 'elsewhere'), service.url)
  expect(missing).toMatchObject({ status: 1, errors: expect.stringContaining('DATA_PATH') })
  const silent = await run(join(root, 'data'), 'http://127.0.0.1:1')
  expect(silent).toMatchObject({ status: 1, errors: expect.stringContaining('does not answer') })
  mkdirSync(join(root, 'other/security'), { recursive: true })
  await Bun.write(join(root, 'other/security/api_key.txt'), 'larder_other')
  const wrong = await run(join(root, 'other'), service.url)
  expect(wrong).toMatchObject({ status: 1, errors: expect.stringContaining('401') })
})
