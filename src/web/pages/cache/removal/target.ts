import type { WhenAway } from '../../../../cache/away/away.ts'
import { api, unwrap } from '../../../api/eden.ts'
import type { Entry } from '../games/entries.ts'

export type Removable = Pick<Entry, 'key' | 'kind' | 'id' | 'service' | 'name'>

/** What removing an entry would delete; changes nothing. */
export function previewOf(entry: Removable, signal: AbortSignal) {
  const { kind, id, service, name } = entry
  const body =
    kind === 'alpha'
      ? { kind, appId: Number(id) }
      : kind === 'beta'
        ? { kind, gameName: id ?? name }
        : kind === 'named'
          ? { kind, service, gameName: name }
          : { kind, service }
  return unwrap(api.ext.cache.removals.preview.post(body, { fetch: { signal } }))
}

/** Starts the removal; resolves when it is queued. */
export async function startRemoval(
  entry: Removable,
  query: { purgeLogs: boolean; whenAway?: WhenAway },
): Promise<void> {
  const { kind, id, service, name } = entry
  const options = { query }
  if (kind === 'alpha') await unwrap(api.games({ appId: Number(id) }).delete({}, options))
  else if (kind === 'beta') {
    await unwrap(api.games.beta({ gameName: id ?? name }).delete({}, options))
  } else if (kind === 'named') {
    await unwrap(api.games.named({ service })({ gameName: name }).delete({}, options))
  } else await unwrap(api.cache.services({ name: service }).delete({}, options))
}
