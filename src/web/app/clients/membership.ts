import type { ClientGroup } from '../../api/client-queries.ts'
import { api, unwrap, keys } from '../../api/client.ts'
import { t } from '../../locales/translate.ts'
import { useSave } from '../use-save.ts'
import { draftOf, emptyDraft, isName } from './draft.ts'
import { createGroup, deleteGroup, moveMember, saveGroup } from './save-group.ts'

/** The group of an address; null without one. */
export const groupOf = (
  groups: readonly ClientGroup[] | undefined,
  ip: string,
): ClientGroup | null => groups?.find(({ memberIps }) => memberIps.includes(ip)) ?? null

/** Moves one address into a group, or out of any with null. */
export async function assign(ip: string, id: number | null): Promise<void> {
  // Reread: the groups may have changed meanwhile.
  const groups = await unwrap(api['client-groups'].get())
  const from = groupOf(groups, ip)
  const to = groups.find((group) => group.id === id)
  if (from?.id === to?.id) return
  if (from !== null && to !== undefined) await moveMember(ip, from, to)
  else if (to !== undefined) {
    await saveGroup(to, { ...draftOf(to), memberIps: [...to.memberIps, ip] })
  } else if (from !== null) {
    const memberIps = from.memberIps.filter((member) => member !== ip)
    await saveGroup(from, { ...draftOf(from), memberIps })
  }
}

/** Changes one client's group immediately, with undo. */
export function useMembership() {
  const { save, isBusy } = useSave({ stale: [keys.clientGroups, ...keys.reports] })
  const change = (ip: string, from: ClientGroup | null, to: ClientGroup | null) =>
    save({
      run: () => assign(ip, to?.id ?? null),
      done:
        to === null
          ? t('client.removedFromGroup', { name: ip, group: from?.nickname ?? '' })
          : t('client.addedToGroup', { name: ip, group: to.nickname }),
      undo: () => assign(ip, from?.id ?? null),
    })
  return { change, isBusy }
}

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
