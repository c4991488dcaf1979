import { api, unwrap } from '../../../api/eden.ts'
import type { Entry } from '../games/entries.ts'

/** Starts deleting all records of one evicted game or service. */
export async function forgetOne(entry: Pick<Entry, 'kind' | 'id' | 'service' | 'name'>) {
  const { kind, id, service, name } = entry
  if (kind === 'named') {
    await unwrap(api.cache.evicted.named({ service })({ gameName: name }).delete({}, { query: {} }))
    return
  }
  const query = { key: kind === 'service' ? service : (id ?? '') }
  await unwrap(api.cache.evicted({ scope: kind }).delete({}, { query }))
}

export async function forgetAll(): Promise<void> {
  await unwrap(api.cache.evicted.delete({}, { query: {} }))
}
