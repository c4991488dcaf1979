import type { SettingsReader } from './settings-reader.ts'

/** A node: where its service is, and how it joins it. */
export const nodeSettings = (read: SettingsReader) => ({
  isNode: read.choice('ROLE', ['service', 'node'] as const, 'service') === 'node',
  serviceUrl: read.optionalUrl('Node__Service'),
  token: read.secret('Node__Token'),
})
