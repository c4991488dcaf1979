import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import type { DaemonClient } from '../support/daemon-client.ts'
import { daemonProcess } from '../support/daemon-process.ts'
import {
  epsilonDaemons,
  logIn,
  meteor,
  meteorBytes,
  meteorPaths,
  practiceTitles,
} from '../support/epsilon-daemon.ts'
import { restored } from '../support/daemon-login.ts'
import { startProxy, type Proxy } from './proxy.ts'
import { countIn, filesBelow, findIn, openToOthers, type Secrets } from './secret-search.ts'

const { xbox, folder, login } = epsilonDaemons()
let proxy: Proxy

beforeAll(async () => {
  proxy = await startProxy(join(folder, 'proxy'), '1m', undefined, xbox)
})
afterAll(() => proxy.stop())

const start = () =>
  daemonProcess({
    platform: 'epsilon',
    folder,
    environment: {
      ...xbox.environment,
      LANCACHE_IP: `127.0.0.1:${proxy.port}`,
      LOG_LEVEL: 'trace',
    },
  })

const prefill = async (client: DaemonClient, run: number) => {
  await client.ask('prefill', { productIds: JSON.stringify([meteor]) })
  return client.ended(run)
}

async function expectCached(version: string) {
  const hosts = ['assets1.xboxlive.com', 'tlu.dl.delivery.mp.microsoft.com']
  for (const [index, path] of meteorPaths(version).entries()) {
    const headers = { host: hosts[index] ?? '' }
    const response = await fetch(`http://127.0.0.1:${proxy.port}${path}`, { headers })
    await response.arrayBuffer()
    expect(response.headers.get('x-upstream-cache-status')).toBe('HIT')
  }
}

const contentRequests = () => xbox.content.map(({ path, range }) => `${path} ${range}`)

test('every slice is cached, and nothing else; an update fetches its changes', async () => {
  const first = start()
  const client = await first.connect()
  expect(await logIn(client)).toMatchObject({ state: 'logged-in' })
  expect(await prefill(client, 1)).toMatchObject({
    updatedApps: 1,
    totalBytesTransferred: meteorBytes,
    missBytes: meteorBytes,
  })
  // Three slices of one file, one of the other.
  expect(new Set(contentRequests()).size).toBe(4)
  expect(xbox.content).toHaveLength(4)
  await expectCached('1.0.0.0')
  expect(xbox.content).toHaveLength(4)
  expect(await prefill(client, 2)).toMatchObject({ alreadyUpToDate: 1, totalBytesTransferred: 0 })

  xbox.titles = practiceTitles('1.0.1.0')
  xbox.content.length = 0
  expect(await prefill(client, 3)).toMatchObject({ updatedApps: 1, hitBytes: 3000 })
  expect(new Set(xbox.content.map(({ path }) => path))).toEqual(
    new Set([meteorPaths('1.0.1.0')[0] ?? '']),
  )
  await expectCached('1.0.1.0')

  const tokens = [login.read()['refreshToken'] as string]
  first.process.kill('SIGKILL')
  await first.process.exited
  const second = start()
  const again = await second.connect()
  await restored(again)
  tokens.push(login.read()['refreshToken'] as string)
  expect(tokens).toEqual(['secret-refresh-1', 'secret-refresh-2'])
  expect(await prefill(again, 1)).toMatchObject({ alreadyUpToDate: 1 })
  second.process.kill('SIGTERM')

  const { pkcs8 } = login.read()['device'] as { pkcs8: string }
  const secrets: Secrets = new Map([
    ['a token', 'secret-'],
    ['the key of the device', pkcs8],
  ])
  for (const daemon of [first, second]) {
    const { errors } = await daemon.ended()
    const output = await new Response(daemon.process.stdout).text()
    expect(output).toContain('listens')
    expect(countIn(errors + output, secrets)).toEqual({})
  }
  for (const { responses, events } of [client, again]) {
    expect(countIn(JSON.stringify([responses, events]), secrets)).toEqual({})
  }
  const files = filesBelow(folder)
  const found = findIn(folder, files, secrets)
  expect(Object.keys(found)).toEqual(['config/epsilonLogin.json'])
  expect(openToOthers(folder, [login.path])).toEqual([])
  const heads = xbox.content.map(({ head }) => head).join('\n')
  expect(countIn(heads, secrets)).toEqual({})
  expect(xbox.faults).toEqual([])
}, 180_000)
