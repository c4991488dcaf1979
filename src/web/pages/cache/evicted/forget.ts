import type { WhenAway } from '../../../../cache/away/away.ts'
import { api, unwrap } from '../../../api/eden.ts'
import type { Entry } from '../games/entries.ts'

interface Query {
  whenAway?: WhenAway
}

/** Starts deleting all records of one evicted game or service. */
export async function forgetOne(
  entry: Pick<Entry, 'kind' | 'id' | 'service' | 'name'>,
  away: Query,
) {
  const { kind, id, service, name } = entry
  if (kind === 'named') {
    await unwrap(
      api.cache.evicted.named({ service })({ gameName: name }).delete({}, { query: away }),
    )
    return
  }
  const query = { ...away, key: kind === 'service' ? service : (id ?? '') }
  await unwrap(api.cache.evicted({ scope: kind }).delete({}, { query }))
}

export async function forgetAll(query: Query): Promise<void> {
  await unwrap(api.cache.evicted.delete({}, { query }))
}
