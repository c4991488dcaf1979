import { resolve } from 'node:path'
import type Docker from 'dockerode'
import type { Config } from '../config.ts'
import { isInContainer } from './host-nginx.ts'

/** The caching proxy as the container engine knows it. */
export interface ProxyContainer {
  id: string
  name: string
  /** Stands still: no command can be run in it. */
  isPaused: boolean
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

interface Found extends ProxyContainer {
  listed: Listed
}

async function look(engine: Docker, listed: Listed): Promise<Found[]> {
  try {
    const { Config: config } = await engine.getContainer(listed.Id).inspect()
    const isPaused = listed.State === 'paused'
    const environment = environmentOf(config.Env ?? [])
    return [{ id: listed.Id, name: nameOf(listed), isPaused, environment, listed }]
  } catch (error) {
    // It was removed since it was listed.
    if ((error as { statusCode?: number }).statusCode === 404) return []
    throw error
  }
}

/** Those for which `isBetter` holds, when there are any; else all. */
function preferred<T>(all: T[], isBetter: (one: T) => boolean): T[] {
  const better = all.filter(isBetter)
  return better.length > 0 ? better : all
}

const isWithin = (inner: string, outer: string) => inner === outer || inner.startsWith(`${outer}/`)

/** Sees the container one of these folders, or one that lies in them? */
const shares =
  (folders: readonly string[]) =>
  ({ listed }: Found): boolean =>
    listed.Mounts.some(({ Source }) =>
      folders.some((folder) => isWithin(folder, Source) || isWithin(Source, folder)),
    )

async function marked(engine: Docker, running: Listed[]): Promise<Found[]> {
  const found: Found[] = []
  for (const listed of running) found.push(...(await look(engine, listed)))
  return preferred(
    found.filter(({ environment }) => environment.has(mark)),
    // One settings file is often handed to the whole stack.
    ({ listed }) => !otherWords.test(imageOf(listed)),
  )
}

async function byWord(engine: Docker, running: Listed[]): Promise<Found[]> {
  const text = (one: Listed) => `${nameOf(one)} ${one.Image ?? ''}`
  const proper = running.filter((one) => !otherWords.test(text(one)))
  for (const word of proxyWords) {
    const match = proper.find((one) => text(one).toLowerCase().includes(word))
    if (match !== undefined) return await look(engine, match)
  }
  return []
}

/**
 * The running containers of the proxy, best first: the one that is named in the settings; else those
 * whose environment has `CACHE_DISK_SIZE`, of several those that see our folders when that can be
 * told; else one whose name or image says so. Throws what the engine says.
 */
export async function findProxyContainers(
  engine: Docker,
  config: Pick<Config, 'containers' | 'datasources'>,
  canCompareFolders = !isInContainer(),
): Promise<ProxyContainer[]> {
  const { proxyName } = config.containers
  // Not the engine's own `limit`: with it containers are listed that do not run.
  const running = (await engine.listContainers())
    .filter((one) => proxyName === null || nameOf(one) === proxyName)
    .sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))
    .slice(0, containersMax)
  if (proxyName !== null) return running[0] === undefined ? [] : await look(engine, running[0])
  const found = await marked(engine, running)
  if (found.length === 0) return await byWord(engine, running)
  if (!canCompareFolders) return found
  const folders = config.datasources.flatMap(({ logPath, cachePath }) => [logPath, cachePath])
  return preferred(found, shares(folders.map((folder) => resolve(folder))))
}
