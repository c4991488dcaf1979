/*
 * The limit of a cache is the configured value, otherwise `CACHE_DISK_SIZE` of the proxy's
 * container, otherwise that of `LanCache__EnvFilePath`, otherwise the whole disk. One setting of
 * the proxy covers all its caches and counts once; whole disks count only beside a limit, each
 * once. It is read every five minutes. Only this one value is taken from a container's environment
 * and from the settings file.
 *
 * A lost mount is not an empty disk. The mount point above each cache is remembered while the
 * service runs. When a shorter one holds it and the folder is empty, the disk is `vanished` and
 * has no figures, because those of the disk below would be wrong. A folder with files was moved on
 * purpose.
 */
import { datasourceNamed } from '../../core/http/datasource-named.ts'
import type { Settings } from '../../core/settings/settings.ts'
import type { CacheLimit, Disk, SizeSource } from './contract.ts'
import { createSharedSize, type StackParts } from './shared-size.ts'
import { createStackSettings } from './stack-settings.ts'
import { Spaces } from './spaces.ts'

interface Parts extends StackParts {
  settings: Settings
}

/** The caches' disks, and how large each cache may become. */
export function createDisk(parts: Parts): Disk {
  const { config, settings, engine, clock } = parts
  const spaces = new Spaces(engine, clock)
  const sharedSize = createSharedSize(parts)
  const setLimitOf = (name: string) => settings.get('cache.sizes')[name.toLowerCase()] ?? null
  const space = async (name: string) => spaces.of(datasourceNamed(config, name).cachePath)

  async function limit(name: string): Promise<CacheLimit> {
    const set = setLimitOf(datasourceNamed(config, name).name)
    if (typeof set === 'number') return { overrideBytes: set, resolvedBytes: set, source: 'manual' }
    const shared = set === null ? await sharedSize() : null
    if (shared !== null)
      return { overrideBytes: null, resolvedBytes: shared.bytes, source: shared.source }
    const { capacityBytes } = await space(name)
    return { overrideBytes: null, resolvedBytes: capacityBytes, source: 'fullDisk' }
  }

  /** Whole disks count towards a site's total only beside caches with a limit, and each once. */
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
    setLimit(name, wanted) {
      const key = datasourceNamed(config, name).name.toLowerCase()
      const { [key]: _, ...others } = settings.get('cache.sizes')
      settings.set('cache.sizes', wanted === null ? others : { ...others, [key]: wanted })
    },
    async configuredBytes() {
      const names = config.datasources.map(({ name }) => name)
      const limits = await Promise.all(names.map(limit))
      const from = (wanted: SizeSource[]) => limits.filter(({ source }) => wanted.includes(source))
      const typed = from(['manual']).reduce((sum, { resolvedBytes }) => sum + resolvedBytes, 0)
      // One setting of the proxy covers all of its caches together.
      const known = typed + (from(['docker', 'env'])[0]?.resolvedBytes ?? 0)
      if (known === 0) return 0
      return known + (await wholeDisks(names.filter((_, at) => limits[at]?.source === 'fullDisk')))
    },
    hasRsync: () => Bun.which('rsync') !== null,
    stackSettings: createStackSettings(parts),
    stop: () => engine.stop(),
  }
}
