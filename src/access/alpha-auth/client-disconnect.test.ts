import { afterAll, expect, test } from 'bun:test'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '../../../test/support/eventually.ts'
import { AlphaStandIn } from '../../../test/support/stand-ins/alpha.ts'
import { quietLog } from '../../../test/support/quiet-log.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { readConfig } from '../../core/config.ts'
import { startService } from '../../service.ts'

const steam = new AlphaStandIn()
steam.accounts.set('gordon', { password: 'crowbar', guards: ['phone'] })
const folder = tempFolder('gone')
for (const name of ['logs', 'cache']) mkdirSync(join(folder, name))
const config = readConfig({
  PORT: '0',
  HOST: '127.0.0.1',
  DATA_PATH: join(folder, 'data'),
  LanCache__LogPath: join(folder, 'logs'),
  LanCache__CachePath: join(folder, 'cache'),
  POSTGRES_MODE: 'external',
  POSTGRES_HOST: '127.0.0.1',
  POSTGRES_PORT: '1',
  Security__EnableAuthentication: 'false',
  Alpha__WebApiBaseUrl: steam.url,
})
const service = await startService(config, quietLog)
afterAll(async () => {
  await service.stop()
  await steam.stop()
})

test('a client disconnecting while the phone is prompted does not abort the sign-in', async () => {
  const browser = new AbortController()
  const call = fetch(`${service.url}/api/alpha-auth/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ username: 'gordon', password: 'crowbar' }),
    signal: browser.signal,
  })
  await eventually(() => steam.count('PollAuthSessionStatus') > 0, 'the approval is polled')
  browser.abort()
  expect(await call.catch((error: unknown) => error)).toBeInstanceOf(Error)
  expect(service.parts.alpha.login.isBusy()).toBe(true)
  steam.tap(true)
  const status = async () => {
    const response = await fetch(`${service.url}/api/alpha-auth/status`)
    return (await response.json()) as { username: string; isConnected: boolean }
  }
  await eventually(async () => (await status()).username !== '', 'the account is signed in')
  expect(await status()).toMatchObject({ username: 'gordon', isConnected: true })
})
