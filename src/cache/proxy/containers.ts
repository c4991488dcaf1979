import { resolve } from 'node:path'
import type Docker from 'dockerode'
import type { Config } from '../../core/config.ts'

/** The caching proxy as the container engine knows it. */
export interface ProxyContainer {
  id: string
  name: string
  /** Stands still: no command can be run in it. */
  isPaused: boolean
  /** It has one of our folders, as far as paths can be compared: both may live in containers. */
  seesOurs: boolean
  /** Its environment; values may be secret, so they are looked up by name and never shown. */
  environment: ReadonlyMap<string, string>
}

/** Running containers that are looked at; more are certainly no games room. */
const containersMax = 100
/** In the environment of every image of the stock proxy and its forks. */
const mark = 'CACHE_DISK_SIZE'
/** Names and images that tell a proxy, best first, and those that tell something beside it. */
const proxyWords = ['monolithic', 'lancache']
const otherWords = /dns|manager|postgres|redis|mariadb|mysql|larder/i

type Listed = Docker.ContainerInfo
const nameOf = ({ Names }: Listed) => (Names[0] ?? '').replace(/^\//, '')
/** Without registry and owner: those may be called anything. */
const imageOf = ({ Image }: Listed) => (Image ?? '').split('/').at(-1) ?? ''

function environmentOf(lines: readonly string[]): Map<string, string> {
  const cut = (line: string) => {
    const at = line.indexOf('=')
    return at < 0 ? ([line, ''] as const) : ([line.slice(0, at), line.slice(at + 1)] as const)
  }
  return new Map(lines.map(cut))
}

interface Search {
  engine: Docker
  /** Ours. */
  folders: string[]
}

async function look({ engine, folders }: Search, listed: Listed): Promise<ProxyContainer[]> {
  try {
    const { Config: config } = await engine.getContainer(listed.Id).inspect()
    const isPaused = listed.State === 'paused'
    const environment = environmentOf(config.Env ?? [])
    const seesOurs = shares(listed, folders)
    return [{ id: listed.Id, name: nameOf(listed), isPaused, seesOurs, environment }]
  } catch (error) {
    // It was removed since it was listed.
    if ((error as { statusCode?: number }).statusCode === 404) return []
    throw error
  }
}

const isWithin = (inner: string, outer: string) => inner === outer || inner.startsWith(`${outer}/`)

/** Sees the container one of these folders, or something in them? */
const shares = ({ Mounts }: Listed, folders: readonly string[]): boolean =>
  Mounts.some(({ Source }) =>
    folders.some((folder) => isWithin(folder, Source) || isWithin(Source, folder)),
  )

async function marked(search: Search, running: Listed[]): Promise<ProxyContainer[]> {
  const found: ProxyContainer[] = []
  const beside: ProxyContainer[] = []
  for (const listed of running) {
    // One settings file is often handed to the whole stack.
    const list = otherWords.test(imageOf(listed)) ? beside : found
    list.push(...(await look(search, listed)).filter(({ environment }) => environment.has(mark)))
  }
  const all = found.length > 0 ? found : beside
  return all.toSorted((a, b) => Number(b.seesOurs) - Number(a.seesOurs))
}

async function byWord(search: Search, running: Listed[]): Promise<ProxyContainer[]> {
  const text = (one: Listed) => `${nameOf(one)} ${one.Image ?? ''}`
  const proper = running.filter((one) => !otherWords.test(text(one)))
  for (const word of proxyWords) {
    const match = proper.find((one) => text(one).toLowerCase().includes(word))
    if (match !== undefined) return await look(search, match)
  }
  return []
}

/**
 * The running containers of the proxy, best first: the one that is named in the settings; else those
 * whose environment has `CACHE_DISK_SIZE`, those that see our folders before others; else one whose
 * name or image says so. Throws what the engine says.
 */
export async function findProxyContainers(
  engine: Docker,
  { containers: { proxyName }, datasources }: Pick<Config, 'containers' | 'datasources'>,
): Promise<ProxyContainer[]> {
  const folders = datasources.flatMap(({ logPath, cachePath }) => [logPath, cachePath])
  const search = { engine, folders: folders.map((folder) => resolve(folder)) }
  // Not the engine's own `limit`: with it containers are listed that do not run.
  const running = (await engine.listContainers())
    .filter((one) => proxyName === null || nameOf(one) === proxyName)
    .sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))
    .slice(0, containersMax)
  if (proxyName !== null) return running[0] === undefined ? [] : await look(search, running[0])
  const found = await marked(search, running)
  return found.length > 0 ? found : await byWord(search, running)
}
