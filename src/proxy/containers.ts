import type Docker from 'dockerode'

/** The caching proxy as the container engine knows it. */
export interface ProxyContainer {
  id: string
  name: string
  /** Its environment; values may be secret, so they are looked up by name and never shown. */
  environment: ReadonlyMap<string, string>
}

/** Running containers that are looked at; more are certainly no games room. */
const containersMax = 100
/** In the environment of every image of the stock proxy and its forks. */
const mark = 'CACHE_DISK_SIZE'
const nameOf = (names: readonly string[]) => (names[0] ?? '').replace(/^\//, '')

function environmentOf(lines: readonly string[]): Map<string, string> {
  const cut = (line: string) => {
    const at = line.indexOf('=')
    return at < 0 ? ([line, ''] as const) : ([line.slice(0, at), line.slice(at + 1)] as const)
  }
  return new Map(lines.map(cut))
}

/**
 * The running container of the proxy: the one of that name, else the first by name whose
 * environment has `CACHE_DISK_SIZE`. Null when there is none. Throws what the engine says.
 */
export async function findProxyContainer(
  engine: Docker,
  name: string | null,
): Promise<ProxyContainer | null> {
  // Not the engine's own `limit`: with it containers are listed that do not run.
  const running = await engine.listContainers()
  const named = running
    .slice(0, containersMax)
    .map(({ Id, Names }) => ({ id: Id, name: nameOf(Names) }))
    .filter((container) => name === null || container.name === name)
    .sort((a, b) => (a.name < b.name ? -1 : 1))
  for (const { id, name: found } of named) {
    const { Config: config } = await engine.getContainer(id).inspect()
    const environment = environmentOf(config.Env ?? [])
    if (name !== null || environment.has(mark)) return { id, name: found, environment }
  }
  return null
}
