import type { StackParts } from './shared-size.ts'
import { dirname, join } from 'node:path'
import { keep } from '../../core/lib/kept.ts'
import { within } from '../../core/lib/within.ts'
import { stackSetting } from '../../engines/disk/settings-file.ts'
import { openContainerEngine } from '../proxy/engine.ts'
import { findStackContainers } from '../proxy/stack-containers.ts'
import type { StackSettings } from './contract.ts'

/** Lifetime of what was found. */
const foundMs = 60_000
/** How long a request waits for the container engine. */
const patienceMs = 5000
const usualFiles = ['/srv/lancache/.env', '/opt/lancache/.env', '/lancache/.env']
const nothing = { dnsAddresses: [], cacheAddresses: [] }
const defaults: StackSettings = {
  ...nothing,
  source: 'defaults',
  envFilePath: null,
  values: new Map(),
}

/** The caching stack's settings: from its containers, else from its settings file. */
export function createStackSettings({ config, engine, clock, log }: StackParts) {
  async function ofContainers(): Promise<StackSettings | null> {
    try {
      const containers = await openContainerEngine(config)
      const found = containers === null ? [] : await findStackContainers(containers)
      if (found.length === 0) return null
      const settings = found.flatMap(({ environment }) => [...environment])
      return {
        source: 'dockerInspect',
        envFilePath: null,
        values: new Map(settings.filter(([name]) => stackSetting.test(name))),
        dnsAddresses: found.filter(({ isDns }) => isDns).flatMap(({ addresses }) => addresses),
        cacheAddresses: found.filter(({ isDns }) => !isDns).flatMap(({ addresses }) => addresses),
      }
    } catch (error) {
      // Never log the error itself: the engine's message may contain container settings.
      const reason = (error as { code?: string }).code ?? 'no answer'
      log.warn({ reason }, 'the container engine did not report the caching stack')
      return null
    }
  }

  async function ofFile(): Promise<StackSettings | null> {
    const beside = config.datasources.map(({ cachePath }) => join(dirname(cachePath), '.env'))
    const places = [...(config.envFilePath === null ? [] : [config.envFilePath]), ...usualFiles]
    for (const place of new Set([...places, ...beside])) {
      const file = await engine.ask('stackSettings', place)
      if (file !== null && file.values.size > 0) {
        return { ...nothing, source: 'envFile', envFilePath: file.path, values: file.values }
      }
    }
    return null
  }

  const find = async () =>
    (await within(ofContainers(), patienceMs, null)) ?? (await ofFile()) ?? defaults
  return keep(clock, foundMs, find).read
}
