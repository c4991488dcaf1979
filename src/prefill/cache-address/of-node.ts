import { AppError, unavailable } from '../../core/http/errors.ts'
import type { ServerAddress } from '../../core/lib/cache-network.ts'
import { awayText, isHere, type NodeHosts } from '../../engines/remote/hosts.ts'

/** Address of the cache of a node. Throws AppError: it is not known, or the node is away. */
export function cacheOfNode(hosts: NodeHosts, node: string): ServerAddress {
  const host = hosts.all().find(({ name }) => name === node)
  if (host === undefined) throw new AppError('notFound', `There is no node ${node}`)
  if (!isHere(host)) throw unavailable(awayText(host))
  const address = host.cacheAddress()
  if (address !== null) return address
  throw unavailable(`The address of the node ${node} is not known; set Node__CacheAddress there`)
}

/** Nodes whose caches can be filled. */
export const namesOfNodes = (hosts: NodeHosts): string[] =>
  hosts
    .all()
    .map(({ name }) => name)
    .toSorted()
