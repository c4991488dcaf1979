import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { relative, resolve } from 'node:path'
import type Docker from 'dockerode'
import { TransportError } from '../contract.ts'
import { statusOf } from './faults.ts'

/** Where the kernel shows the id of the container that a process runs in. */
const idFiles = ['/proc/1/cpuset', '/proc/self/cgroup', '/proc/self/mountinfo'] as const

/**
 * Ids under which our own container may be known: those in the kernel's files, then the host name,
 * which is the short id unless the container was given another one.
 */
export function ownContainerIds(files: readonly string[] = idFiles): string[] {
  const ids = files.flatMap((path) => {
    try {
      const text = readFileSync(path, 'utf8')
      // Mounts also name layers of the image, which have ids of the same form.
      const pattern = path.endsWith('mountinfo')
        ? /\/containers\/([0-9a-f]{64})\//g
        : /\b([0-9a-f]{64})\b/g
      return [...text.matchAll(pattern)].map(([, id]) => id ?? '')
    } catch {
      return []
    }
  })
  const host = hostname()
  return [...new Set([...ids, ...(/^[\w.-]{1,128}$/.test(host) ? [host] : [])])]
}

/** How a path of ours is named outside of the mount that it lies in; null: in none of them. */
export function throughMounts(
  path: string,
  mounts: readonly { Source: string; Destination: string }[],
): string | null {
  const holding = mounts
    .filter(({ Destination: at }) => path === at || path.startsWith(at === '/' ? at : `${at}/`))
    .toSorted((a, b) => b.Destination.length - a.Destination.length)[0]
  if (holding === undefined) return null
  return resolve(holding.Source, relative(holding.Destination, path))
}

interface Paths {
  /** As we see it. */
  dataPath: string
  basePath: string
  /** Configured; null: read from our own container. */
  hostDataPath: string | null
}

async function ownMounts(engine: Docker, ids: readonly string[]) {
  for (const id of ids) {
    try {
      return (await engine.getContainer(id).inspect()).Mounts
    } catch (error) {
      if (statusOf(error) !== 404) throw error
    }
  }
  return []
}

/**
 * Folder of the sessions as the container engine sees it. Throws when we run in a container
 * whose mounts do not show it.
 */
export async function hostBasePath(
  engine: Docker,
  { dataPath, basePath, hostDataPath }: Paths,
  own: { isInContainer: boolean; ids: readonly string[] },
): Promise<string> {
  const inData = relative(dataPath, basePath)
  if (hostDataPath !== null && !inData.startsWith('..')) return resolve(hostDataPath, inData)
  if (!own.isInContainer) return basePath
  const found = throughMounts(basePath, await ownMounts(engine, own.ids))
  if (found !== null) return found
  throw new TransportError(
    'unavailable',
    'The folder of the prefill sessions has no known path on the host; mount the data folder ' +
      'from the host, or set Prefill__HostDataPath',
  )
}
