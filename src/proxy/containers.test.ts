import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { EngineStandIn } from '../../test/support/engine-stand-in.ts'
import { readConfig } from '../config.ts'
import { findProxyContainer } from './containers.ts'
import { hasContainerEngine, openContainerEngine } from './engine.ts'

const root = mkdtempSync(join(tmpdir(), 'larder-engine-'))
let standIn: EngineStandIn

beforeAll(() => {
  standIn = new EngineStandIn(root)
  standIn.containers = [
    { name: 'web', environment: ['PATH=/bin', 'TOKEN=a=b'] },
    { name: 'old-cache', environment: ['CACHE_DISK_SIZE=1g'], isRunning: false },
    { name: 'monolithic', environment: ['CACHE_DISK_SIZE=2000g', 'CACHE_SLICE_SIZE=1m'] },
    { name: 'z-cache', environment: ['CACHE_DISK_SIZE=5g'] },
  ]
})
afterAll(async () => {
  await standIn.stop()
  rmSync(root, { recursive: true })
})

const open = async (environment: Record<string, string> = {}) => {
  const engine = await openContainerEngine(
    readConfig({ DOCKER_HOST: standIn.address, ...environment }),
  )
  if (engine === null) throw new Error('no engine')
  return engine
}

describe('the proxy among the containers', () => {
  test('is the first that runs and has the size of a cache in its environment', async () => {
    const found = await findProxyContainer(await open(), null)
    expect(found?.name).toBe('monolithic')
    expect(found?.environment.get('CACHE_DISK_SIZE')).toBe('2000g')
  })

  test('or the one with the name that is set, whatever its environment', async () => {
    const found = await findProxyContainer(await open(), 'web')
    expect(found?.environment.get('TOKEN')).toBe('a=b')
    expect(await findProxyContainer(await open(), 'nobody')).toBeNull()
  })
})

describe('an engine', () => {
  test('is not there without its socket', async () => {
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
