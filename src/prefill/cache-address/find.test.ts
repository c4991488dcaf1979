import { afterEach, beforeEach, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DaemonEngine } from '../../../test/support/daemon-engine.ts'
import { quietLog } from '../../../test/support/quiet-log.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { readConfig } from '../../core/config.ts'
import { createCacheAddress } from './find.ts'

let engine: DaemonEngine
let folder: string
/** Addresses at which a cache answers. */
let caches: string[]
let asked: string[]
/** Addresses that a DNS server or the system gives for a name. */
let names: Record<string, string[]>

beforeEach(() => {
  folder = tempFolder('address')
  engine = new DaemonEngine(folder)
  caches = []
  asked = []
  names = {}
})
afterEach(() => engine.stop())

const find = (environment: Record<string, string> = {}) =>
  createCacheAddress({
    config: readConfig({ DATA_PATH: folder, DOCKER_HOST: engine.address, ...environment }),
    log: quietLog,
    probes: {
      isCache(address) {
        asked.push(address)
        return Promise.resolve(caches.includes(address))
      },
      resolve: (server, name) => Promise.resolve(names[`${name}@${server}`] ?? []),
      lookUp: (name) => Promise.resolve(names[name] ?? []),
      gateways: () => ['192.168.0.1'],
    },
  })()

const network = (IPAddress: string) => ({ Networks: { stack: { IPAddress } } })

test('the configured address is taken without asking anything', async () => {
  expect(await find({ Prefill__LancacheIp: '10.0.0.9' })).toEqual({
    address: '10.0.0.9',
    source: 'config',
  })
  names['cache.lan'] = ['fd00::8', '10.0.0.8']
  const byName = await find({ Prefill__LancacheIp: 'cache.lan' })
  expect(byName).toEqual({ address: '10.0.0.8', source: 'config' })
  expect(asked).toEqual([])
})

test('a configured name without an address is an error that names the setting', async () => {
  const failure = await find({ Prefill__LancacheIp: 'nowhere.lan' }).catch(String)
  expect(failure).toContain('Prefill__LancacheIp')
  expect(failure).toContain('nowhere.lan')
})

test('then the DNS server of the cache is asked', async () => {
  engine.add('lancache-dns', network('172.20.0.2'))
  names['lancache.steamcontent.com@172.20.0.2'] = ['93.184.216.34', '10.0.0.5', '10.0.0.6']
  caches = ['93.184.216.34', '10.0.0.6']
  expect(await find()).toEqual({ address: '10.0.0.6', source: 'dns' })
  // A public address is never contacted.
  expect(asked).toEqual(['10.0.0.5', '10.0.0.6'])
})

test('then the settings of its container, then those of its stack', async () => {
  const Labels = { 'com.docker.compose.project.working_dir': folder }
  const dns = engine.add('stack-lancache-dns-1', { Labels, Env: ['LANCACHE_IP=10.0.0.7 10.0.0.8'] })
  expect(await find()).toEqual({ address: '10.0.0.7', source: 'dockerInspect' })
  dns.body.Env = ['LANCACHE_IP=']
  writeFileSync(join(folder, '.env'), '# LANCACHE_IP=10.0.0.1\nLANCACHE_IP="10.0.0.4"\n')
  expect(await find()).toEqual({ address: '10.0.0.4', source: 'envFile' })
})

test('then the usual places, each of which must answer with its heartbeat', async () => {
  engine.add('my-monolithic', network('172.20.0.3'))
  engine.add('some-manager', network('172.20.0.66'))
  engine.add('anything', network('172.20.0.4'))
  names['host.docker.internal'] = ['127.0.0.1', '192.168.65.2']
  caches = ['172.20.0.4', '192.168.65.2', '127.0.0.1']
  expect(await find()).toEqual({ address: '192.168.65.2', source: 'detected' })
  expect(asked).toEqual(['172.20.0.3', '192.168.0.1', '192.168.65.2', '172.20.0.4'])
})

test('without any of them nothing is injected, also when the engine does not answer', async () => {
  expect(await find()).toEqual({ address: null, source: 'none' })
  engine.refuse('GET /containers/json', { status: 500, message: 'broken' })
  caches = ['192.168.0.1']
  expect(await find()).toEqual({ address: '192.168.0.1', source: 'detected' })
})
