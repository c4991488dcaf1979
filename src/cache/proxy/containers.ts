import { resolve } from 'node:path'
import type Docker from 'dockerode'
import type { Config } from '../../core/config.ts'

/** The caching proxy, as reported by the container engine. */
export interface ProxyContainer {
  id: string
  name: string
  /** Paused containers cannot run commands. */
  isPaused: boolean
  /** It mounts one of our folders, as far as paths are comparable: both may run in containers. */
  seesOurs: boolean
  /** Its environment; values may be secret, so they are read by name and never shown. */
  environment: ReadonlyMap<string, string>
}

/** Running containers considered; no LAN host has more. */
const containersMax = 100
/** Set in the environment of every image of the stock proxy and its forks. */
const mark = 'CACHE_DISK_SIZE'
/** Words in names and images that identify a proxy, best first, and those of its companions. */
const proxyWords = ['monolithic', 'lancache']
const otherWords = /dns|manager|postgres|redis|mariadb|mysql|larder/i

type Listed = Docker.ContainerInfo
const nameOf = ({ Names }: Listed) => (Names[0] ?? '').replace(/^\//, '')
/** Without registry and owner, which are arbitrary. */
const imageOf = ({ Image }: Listed) => (Image ?? '').split('/').at(-1) ?? ''

/** Environment variables of a container. */
export function environmentOf(lines: readonly string[]): Map<string, string> {
  const cut = (line: string) => {
    const at = line.indexOf('=')
    return at < 0 ? ([line, ''] as const) : ([line.slice(0, at), line.slice(at + 1)] as const)
  }
  return new Map(lines.map(cut))
}

interface Search {
  engine: Docker
  /** Our own folders. */
  folders: string[]
}

async function inspect({ engine, folders }: Search, listed: Listed): Promise<ProxyContainer[]> {
  try {
    const { Config: config } = await engine.getContainer(listed.Id).inspect()
    const isPaused = listed.State === 'paused'
    const environment = environmentOf(config.Env ?? [])
    const seesOurs = shares(listed, folders)
    return [{ id: listed.Id, name: nameOf(listed), isPaused, seesOurs, environment }]
  } catch (error) {
    // Removed since it was listed.
    if ((error as { statusCode?: number }).statusCode === 404) return []
    throw error
  }
}

const isWithin = (inner: string, outer: string) => inner === outer || inner.startsWith(`${outer}/`)

/** Whether the container mounts one of these folders, or something inside them. */
const shares = ({ Mounts }: Listed, folders: readonly string[]): boolean =>
  Mounts.some(({ Source }) =>
    folders.some((folder) => isWithin(folder, Source) || isWithin(Source, folder)),
  )

async function marked(search: Search, running: Listed[]): Promise<ProxyContainer[]> {
  const found: ProxyContainer[] = []
  const beside: ProxyContainer[] = []
  for (const listed of running) {
    // A whole stack often shares one settings file.
    const list = otherWords.test(imageOf(listed)) ? beside : found
    list.push(...(await inspect(search, listed)).filter(({ environment }) => environment.has(mark)))
  }
  const all = found.length > 0 ? found : beside
  return all.toSorted((a, b) => Number(b.seesOurs) - Number(a.seesOurs))
}

async function byWord(search: Search, running: Listed[]): Promise<ProxyContainer[]> {
  const text = (one: Listed) => `${nameOf(one)} ${one.Image ?? ''}`
  const proper = running.filter((one) => !otherWords.test(text(one)))
  for (const word of proxyWords) {
    const match = proper.find((one) => text(one).toLowerCase().includes(word))
    if (match !== undefined) return await inspect(search, match)
  }
  return []
}

/**
 * The proxy's running containers, best first: the one named in the settings; else those with
 * `CACHE_DISK_SIZE` in their environment, first those that mount our folders; else one whose name
 * or image matches. Throws the engine's errors.
 */
export async function findProxyContainers(
  engine: Docker,
  { containers: { proxyName }, datasources }: Pick<Config, 'containers' | 'datasources'>,
): Promise<ProxyContainer[]> {
  const folders = datasources.flatMap(({ logPath, cachePath }) => [logPath, cachePath])
  const search = { engine, folders: folders.map((folder) => resolve(folder)) }
  // Not the engine's own `limit`: it would include containers that are not running.
  const running = (await engine.listContainers())
    .filter((one) => proxyName === null || nameOf(one) === proxyName)
    .sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))
    .slice(0, containersMax)
  if (proxyName !== null) return running[0] === undefined ? [] : await inspect(search, running[0])
  const found = await marked(search, running)
  return found.length > 0 ? found : await byWord(search, running)
}
