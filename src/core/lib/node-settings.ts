import { readServerAddress } from './cache-network.ts'
import type { SettingsReader } from './settings-reader.ts'

/** A node: where its service is, and how it joins it. */
export const nodeSettings = (read: SettingsReader) => ({
  isNode: read.choice('ROLE', ['service', 'node'] as const, 'service') === 'node',
  serviceUrl: read.optionalUrl('Node__Service'),
  token: read.secret('Node__Token'),
  /** Of the cache beside it; null: the address from which the node connects, port 80. */
  cacheAddress: readServerAddress(read, 'Node__CacheAddress'),
})
