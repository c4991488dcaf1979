import type { Config } from '../config.ts'
import type { DiskEngine } from '../engines/disk/facade.ts'
import { AppError } from '../http/errors.ts'
import type { Clock } from '../lib/clock.ts'
import type { Logger } from '../lib/log.ts'
import type { Settings } from '../settings/settings.ts'
import type { CacheLimit, Disk } from './contract.ts'
import { createSharedSize } from './shared-size.ts'
import { Spaces } from './spaces.ts'

interface Parts {
  config: Pick<Config, 'datasources' | 'containers' | 'envFilePath'>
  settings: Settings
  engine: DiskEngine
  clock: Clock
  log: Logger
}

/** The disks below the caches, and how large each cache may become. */
export function createDisk(parts: Parts): Disk {
  const { config, settings, engine, clock } = parts
  const spaces = new Spaces(engine, clock)
  const sharedSize = createSharedSize(parts)
  const sourceOf = (name: string) => {
    const wanted = name.toLowerCase()
    const source = config.datasources.find((one) => one.name.toLowerCase() === wanted)
    if (source === undefined) throw new AppError('notFound', 'Datasource not found')
    return source
  }
  const overrideOf = (name: string) => settings.get('cache.sizes')[name.toLowerCase()] ?? null
  const space = async (name: string) => spaces.of(sourceOf(name).cachePath)

  async function limit(name: string): Promise<CacheLimit> {
    const overrideBytes = overrideOf(sourceOf(name).name)
    if (overrideBytes !== null)
      return { overrideBytes, resolvedBytes: overrideBytes, source: 'manual' }
    const shared = await sharedSize()
    if (shared !== null)
      return { overrideBytes, resolvedBytes: shared.bytes, source: shared.source }
    const { capacityBytes } = await space(name)
    return { overrideBytes, resolvedBytes: capacityBytes, source: 'fullDisk' }
  }

  /** Whole disks say something about a site only beside caches with a limit, and each once. */
  async function wholeDisks(names: readonly string[]): Promise<number> {
    const disks = await Promise.all(names.map(space))
    const capacities = new Map(
      disks.map((disk) => [`${disk.device} ${disk.mountPoint}`, disk.capacityBytes]),
    )
    return [...capacities.values()].reduce((sum, bytes) => sum + bytes, 0)
  }

  return {
    space,
    limit,
    setLimit(name, bytes) {
      const key = sourceOf(name).name.toLowerCase()
      const { [key]: _, ...others } = settings.get('cache.sizes')
      settings.set('cache.sizes', bytes === null ? others : { ...others, [key]: bytes })
    },
    async configuredBytes() {
      const names = config.datasources.map(({ name }) => name)
      const typed = names.flatMap((name) => overrideOf(name) ?? [])
      const sum = typed.reduce((total, bytes) => total + bytes, 0)
      const others = names.filter((name) => overrideOf(name) === null)
      if (others.length === 0) return sum
      const shared = await sharedSize()
      if (shared !== null) return sum + shared.bytes
      return typed.length === 0 ? 0 : sum + (await wholeDisks(others))
    },
    hasRsync: () => Bun.which('rsync') !== null,
    stop: () => engine.stop(),
  }
}
