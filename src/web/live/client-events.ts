import type { QueryClient } from '@tanstack/react-query'
import { keys } from '../api/keys.ts'

const reports = [keys.batch, keys.clients]

/** Events that change who a client is, by the queries that show it. */
const stale: Readonly<Record<string, readonly (readonly string[])[]>> = {
  ClientGroupCreated: [keys.clientGroups, ...reports],
  ClientGroupUpdated: [keys.clientGroups, ...reports],
  ClientGroupDeleted: [keys.clientGroups, ...reports],
  ClientGroupsCleared: [keys.clientGroups, ...reports],
  ClientHostnamesChanged: [keys.hostnames, ...reports],
}

/** Whoever is left out changes with a refresh of the downloads; the payload names the reason. */
const isAboutExclusions = (event: string, data: unknown): boolean =>
  event === 'DownloadsRefresh' &&
  typeof data === 'object' &&
  data !== null &&
  'reason' in data &&
  data.reason === 'exclusions-updated'

/** Takes note of an event about groups, exclusions or names; false when somebody else must as well. */
export function noteClientEvent(queries: QueryClient, event: string, data: unknown): boolean {
  if (isAboutExclusions(event, data)) {
    void queries.invalidateQueries({ queryKey: keys.exclusions })
    return false
  }
  const queryKeys = stale[event]
  for (const queryKey of queryKeys ?? []) void queries.invalidateQueries({ queryKey })
  return queryKeys !== undefined
}
