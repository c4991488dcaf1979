import type { ClientGroup } from '../../api/client-queries.ts'
import { api, unwrap } from '../../api/client.ts'
import { Refusal } from '../../api/refusal.ts'
import { draftOf, isName, sameMembers, sameTexts, type Draft } from './draft.ts'

export interface Saved {
  group: ClientGroup
  /** Addresses rejected because they belong to another group. */
  rejectedIps: string[]
}

const membersOf = (body: unknown, name: string): unknown =>
  typeof body === 'object' && body !== null ? Reflect.get(body, name) : undefined

/** Current state of the group from a conflict response; null for other errors. */
export function currentGroup(error: unknown): ClientGroup | null {
  if (!(error instanceof Refusal) || error.status !== 409) return null
  const group = membersOf(error.body, 'currentGroup')
  return group === undefined ? null : (group as ClientGroup) // our own server's answer
}

/** Addresses listed in a refusal. */
export function refusedIps(error: unknown): string[] {
  if (!(error instanceof Refusal)) return []
  const list = membersOf(error.body, 'rejectedIps') ?? membersOf(error.body, 'invalidIps')
  return Array.isArray(list) ? list.map(String) : []
}

export async function createGroup(draft: Draft): Promise<Saved> {
  const { memberIps, ...texts } = draft
  const body = { ...texts, initialIps: [...memberIps] }
  const { rejectedIps, ...group } = await unwrap(api['client-groups'].post(body))
  return { group, rejectedIps }
}

/** Saves the differences from `base`. Throws a refusal when the group has changed since. */
export async function saveGroup(base: ClientGroup, draft: Draft): Promise<Saved> {
  const route = api['client-groups']({ id: base.id })
  const { memberIps, ...texts } = draft
  let group = base
  if (!sameTexts(draftOf(base), draft)) {
    group = await unwrap(route.put({ ...texts, expectedUpdatedAtUtc: base.updatedAtUtc }))
  }
  if (sameMembers(draftOf(base), draft)) return { group, rejectedIps: [] }
  const body = { clientIps: [...memberIps], expectedUpdatedAtUtc: group.updatedAtUtc }
  return unwrap(route.members.put(body))
}

export const deleteGroup = ({ id }: ClientGroup) => unwrap(api['client-groups']({ id }).delete())

/** Moves one address from its group to the end of another; its own name ends with that. */
export async function moveMember(ip: string, from: ClientGroup, to: ClientGroup): Promise<void> {
  const without = from.memberIps.filter((member) => member !== ip)
  if (isName(from)) await deleteGroup(from)
  else await saveGroup(from, { ...draftOf(from), memberIps: without })
  await saveGroup(to, { ...draftOf(to), memberIps: [...to.memberIps, ip] })
}
