import type { ClientGroup } from '../../api/client-queries.ts'
import { api, unwrap } from '../../api/eden.ts'
import { draftOf, emptyDraft, isName } from '../../app/clients/draft.ts'
import { createGroup, deleteGroup, saveGroup } from '../../app/clients/save-group.ts'

/** The group of an address; null without one. */
export const groupOf = (
  groups: readonly ClientGroup[] | undefined,
  ip: string,
): ClientGroup | null => groups?.find(({ memberIps }) => memberIps.includes(ip)) ?? null

/** Names one address; an empty name removes it. Addresses of groups of several keep their group. */
export async function writeName(ip: string, name: string): Promise<void> {
  // Reread: the groups may have changed meanwhile.
  const held = groupOf(await unwrap(api['client-groups'].get()), ip)
  if (held !== null && !isName(held)) return
  if (name === '') {
    if (held !== null) await deleteGroup(held)
  } else if (held === null) await createGroup({ ...emptyDraft, nickname: name, memberIps: [ip] })
  else await saveGroup(held, { ...draftOf(held), nickname: name })
}
