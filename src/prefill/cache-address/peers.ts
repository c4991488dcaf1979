import type Docker from 'dockerode'

/** Running containers considered; no LAN host has more. */
const containersMax = 100

/** The containers that matter for finding the cache. */
export interface Peers {
  /** The cache's DNS server. */
  dns: Peer | null
  /** Containers that look like the cache. */
  caches: Peer[]
  others: Peer[]
}

export const noPeers: Peers = { dns: null, caches: [], others: [] }

type Listed = Docker.ContainerInfo

function peerOf({ Id, HostConfig, NetworkSettings, Labels }: Listed) {
  const networks = Object.values(NetworkSettings?.Networks ?? {})
  return {
    id: Id,
    usesHostNetwork: HostConfig.NetworkMode === 'host',
    /** Its addresses in the engine's networks; none on the host's network. */
    addresses: networks.map(({ IPAddress }) => IPAddress).filter((address) => address !== ''),
    /** Folder of its stack's settings, on the host; null: not started by a stack. */
    stackFolder: Labels['com.docker.compose.project.working_dir'] ?? null,
  }
}
export type Peer = ReturnType<typeof peerOf>

const textOf = ({ Names, Image }: Listed) => `${Names.join(' ')} ${Image}`.toLowerCase()
const isManager = ({ Names }: Listed) => Names.some((name) => /manager|larder/i.test(name))
const isDns = (one: Listed) => /lancache-?dns/.test(textOf(one))
const isCache = (one: Listed) =>
  /monolithic|(?:^|\/)lancachenet\//.test(one.Image.toLowerCase()) ||
  one.Names.some((name) => /monolithic|lancache/i.test(name))

/** Recognises the cache and its DNS server among the running containers by name and image. */
export async function findPeers(engine: Docker): Promise<Peers> {
  const running = (await engine.listContainers())
    .filter((one) => !isManager(one))
    .sort((a, b) => ((a.Names[0] ?? '') < (b.Names[0] ?? '') ? -1 : 1))
    .slice(0, containersMax)
  const dns = running.find(isDns)
  const rest = running.filter((one) => one !== dns)
  return {
    dns: dns === undefined ? null : peerOf(dns),
    caches: rest.filter(isCache).map(peerOf),
    others: rest.filter((one) => !isCache(one)).map(peerOf),
  }
}
