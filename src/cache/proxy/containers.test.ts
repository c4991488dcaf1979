import { afterAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { EngineStandIn } from '../../../test/support/engine-stand-in.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { readConfig } from '../../core/config.ts'
import { findProxyContainers } from './containers.ts'
import { hasContainerEngine, openContainerEngine } from './engine.ts'

const root = tempFolder('engine')

const standIn = new EngineStandIn(root)
standIn.containers = [
  { name: 'web', environment: ['PATH=/bin', 'TOKEN=a=b'] },
  { name: 'old-cache', environment: ['CACHE_DISK_SIZE=1g'], isRunning: false },
  { name: 'monolithic', environment: ['CACHE_DISK_SIZE=2000g', 'CACHE_SLICE_SIZE=1m'] },
  { name: 'z-cache', environment: ['CACHE_DISK_SIZE=5g'] },
]
afterAll(() => standIn.stop())

/** Names and limits of the containers identified as the proxy, best first. */
async function found(environment: Record<string, string> = {}) {
  const folders = { LanCache__LogPath: '/srv/b/logs', LanCache__CachePath: '/srv/b/cache' }
  const config = readConfig({ DOCKER_HOST: standIn.address, ...folders, ...environment })
  const engine = await openContainerEngine(config)
  if (engine === null) throw new Error('no engine')
  return await findProxyContainers(engine, config)
}
const names = async (environment?: Record<string, string>) =>
  (await found(environment)).map(({ name }) => name)

describe("finding the proxy's container", () => {
  test('a running container with a cache size in its environment', async () => {
    expect(await names()).toEqual(['monolithic', 'z-cache'])
    expect((await found())[0]?.environment.get('CACHE_DISK_SIZE')).toBe('2000g')
  })

  test('or the configured name, whatever its environment', async () => {
    const [web] = await found({ NginxLogRotation__ContainerName: 'web' })
    expect(web?.environment.get('TOKEN')).toBe('a=b')
    expect(await names({ NginxLogRotation__ContainerName: 'nobody' })).toEqual([])
  })

  test('of several, those that mount our folders come first', async () => {
    const environment = ['CACHE_DISK_SIZE=1g']
    standIn.containers = [
      { name: 'a', environment, mounts: ['/srv/a/logs', '/srv/bb'] },
      { name: 'b', environment, mounts: ['/srv/b'] },
      { name: 'c', environment, mounts: ['/srv/b/cache/deep'] },
    ]
    expect(await names()).toEqual(['b', 'c', 'a'])
    expect((await found()).map(({ seesOurs }) => seesOurs)).toEqual([true, true, false])
  })

  test("a DNS container with the whole stack's settings is not mistaken for it", async () => {
    const environment = ['CACHE_DISK_SIZE=1g']
    standIn.containers = [
      { name: 'stack-dns-1', environment, image: 'lancachenet/lancache-dns:latest' },
      { name: 'stack-manager-cache-1', environment, image: 'lancachenet/monolithic:latest' },
    ]
    expect(await names()).toEqual(['stack-manager-cache-1'])
  })
})

describe('the container engine', () => {
  test('is unavailable without its socket', async () => {
    const config = readConfig({ DOCKER_HOST: `unix://${join(root, 'none.sock')}` })
    expect(await openContainerEngine(config)).toBeNull()
    expect(hasContainerEngine(config)).toBe(false)
    expect(hasContainerEngine(readConfig({ DOCKER_HOST: standIn.address }))).toBe(true)
  })

  test('may be reached over the network, and nowhere else', () => {
    const { containers } = readConfig({ DOCKER_HOST: 'tcp://engine.lan:2376' })
    expect(containers.engine).toEqual({ host: 'engine.lan', port: 2376, protocol: 'http' })
    expect(() => readConfig({ DOCKER_HOST: 'engine.lan' })).toThrow('DOCKER_HOST')
  })
})
