import { asc, count, eq, inArray, sql } from 'drizzle-orm'
import type { StateDatabase } from '../../../db/state/open.ts'
import { clientGroup, clientGroupMember } from '../../../db/state/schema/clients.ts'

export type GroupRecord = typeof clientGroup.$inferSelect & { memberIps: string[] }
export type GroupFields = Omit<typeof clientGroup.$inferSelect, 'id'>

/** Result of saving members. */
export interface MembersSaved {
  taken: string[]
  /** Addresses of other groups, which keep them. */
  rejected: string[]
}

/** Client group rows in `state.sqlite`. */
export class GroupStore {
  readonly #db: StateDatabase['db']
  /** Read for every overview, so they are prepared once. */
  readonly #groups
  readonly #memberRows

  constructor({ db }: Pick<StateDatabase, 'db'>) {
    this.#db = db
    const byName = sql`${clientGroup.nickname} COLLATE NOCASE`
    this.#groups = db.select().from(clientGroup).orderBy(byName, clientGroup.nickname).prepare()
    const { position } = clientGroupMember
    this.#memberRows = db.select().from(clientGroupMember).orderBy(asc(position)).prepare()
  }

  /** Sorted by nickname. */
  all(): GroupRecord[] {
    const members = new Map<number, string[]>()
    for (const { groupId, ip } of this.#memberRows.all()) {
      const list = members.get(groupId)
      if (list === undefined) members.set(groupId, [ip])
      else list.push(ip)
    }
    return this.#groups.all().map((group) => ({ ...group, memberIps: members.get(group.id) ?? [] }))
  }

  byId(id: number): GroupRecord | null {
    const group = this.#db.select().from(clientGroup).where(eq(clientGroup.id, id)).get()
    return group === undefined ? null : { ...group, memberIps: this.#members(id) }
  }

  count(): number {
    const [row] = this.#db.select({ groups: count() }).from(clientGroup).all()
    return row?.groups ?? 0
  }

  /** The newest stamp of any group; 0 without groups. */
  lastStamp(): number {
    const [row] = this.#db
      .select({ last: sql<number | null>`max(${clientGroup.updatedAtUs})` })
      .from(clientGroup)
      .all()
    return row?.last ?? 0
  }

  isTaken(nickname: string, exceptId: number | null): boolean {
    const [row] = this.#db
      .select({ id: clientGroup.id })
      .from(clientGroup)
      .where(eq(clientGroup.nickname, nickname))
      .all()
    return row !== undefined && row.id !== exceptId
  }

  /** One transaction: if `work` throws, everything is rolled back. */
  atOnce<T>(work: () => T): T {
    return this.#db.transaction(() => work())
  }

  insert(fields: GroupFields): number {
    const [row] = this.#db
      .insert(clientGroup)
      .values(fields)
      .returning({ id: clientGroup.id })
      .all()
    if (row === undefined) throw new Error('the new group has no id')
    return row.id
  }

  update(id: number, fields: Partial<GroupFields>): void {
    this.#db.update(clientGroup).set(fields).where(eq(clientGroup.id, id)).run()
  }

  /** Its members become ungrouped. */
  delete(id: number): void {
    this.#db.delete(clientGroup).where(eq(clientGroup.id, id)).run()
  }

  /** Sets the members, in this order. Existing members keep their timestamp. */
  replaceMembers(id: number, ips: string[], now: Date): MembersSaved {
    const owners = this.#db
      .select()
      .from(clientGroupMember)
      .where(inArray(clientGroupMember.ip, ips))
      .all()
    const elsewhere = new Set(owners.filter(({ groupId }) => groupId !== id).map(({ ip }) => ip))
    const addedAt = new Map(owners.map((member) => [member.ip, member.addedAt]))
    const taken = ips.filter((ip) => !elsewhere.has(ip))
    this.#db.delete(clientGroupMember).where(eq(clientGroupMember.groupId, id)).run()
    for (const [position, ip] of taken.entries()) {
      const row = { ip, groupId: id, position, addedAt: addedAt.get(ip) ?? now }
      this.#db.insert(clientGroupMember).values(row).run()
    }
    return { taken, rejected: ips.filter((ip) => elsewhere.has(ip)) }
  }

  #members(id: number): string[] {
    return this.#db
      .select({ ip: clientGroupMember.ip })
      .from(clientGroupMember)
      .where(eq(clientGroupMember.groupId, id))
      .orderBy(asc(clientGroupMember.position))
      .all()
      .map(({ ip }) => ip)
  }
}
