import type { ClientsParts } from '../parts.ts'
import { AppError, fieldErrors } from '../../core/http/errors.ts'
import type { ClientGroup, GroupChange, MembersChange, NewGroup } from './model.ts'
import { checkedAddresses, checkedTexts, expectedStamp, groupsMax } from './rules.ts'
import { nextStamp, stampText } from './stamp.ts'
import { GroupStore, type GroupRecord } from './store.ts'

export function groupOf({ createdAtUs, updatedAtUs, ...record }: GroupRecord): ClientGroup {
  const { id, nickname, description, separateMemberRows, memberIps } = record
  const createdAtUtc = stampText(createdAtUs)
  const updatedAtUtc = stampText(updatedAtUs)
  return { id, nickname, description, separateMemberRows, createdAtUtc, updatedAtUtc, memberIps }
}

const nicknameTaken = () => new AppError('invalid', 'Another client group has this nickname')
const tooManyGroups = () =>
  new AppError('conflict', `There are ${groupsMax} client groups already; delete one first`)
const allRejected = (rejectedIps: string[]) =>
  new AppError('conflict', 'all-addresses-rejected', { extra: { rejectedIps } })

function memberList(clientIps: MembersChange['clientIps']): string[] {
  if (clientIps === null || clientIps === undefined) {
    throw fieldErrors([{ field: 'ClientIps', message: 'The list of addresses is required' }])
  }
  const { ips, faults, invalidIps } = checkedAddresses(clientIps, 'ClientIps')
  if (faults.length === 0) return ips
  throw new AppError('invalid', 'Validation failed', { extra: { errors: faults, invalidIps } })
}

/** Client groups: addresses shown as one client under a nickname. */
export class Groups {
  readonly #store: GroupStore
  readonly #clock: ClientsParts['clock']
  readonly #hub: Pick<ClientsParts['hub'], 'publish'>

  constructor({ state, clock, hub }: Pick<ClientsParts, 'state' | 'clock' | 'hub'>) {
    this.#store = new GroupStore(state)
    this.#clock = clock
    this.#hub = hub
  }

  list = (): ClientGroup[] => this.#store.all().map(groupOf)

  read = (id: number): ClientGroup => groupOf(this.#found(id))

  /** Every grouped address with its group. */
  mapping() {
    const entries = this.#store.all().flatMap(({ id, nickname, separateMemberRows, memberIps }) => {
      const entry = { groupId: id, nickname, separateMemberRows }
      return memberIps.map((ip) => [ip, entry] as const)
    })
    return Object.fromEntries(entries)
  }

  create(body: NewGroup) {
    const { ips, faults } = checkedAddresses(body.initialIps ?? [], 'InitialIps')
    const texts = checkedTexts(body, faults)
    const { group, rejectedIps } = this.#store.atOnce(() => {
      if (this.#store.isTaken(texts.nickname, null)) throw nicknameTaken()
      if (this.#store.count() >= groupsMax) throw tooManyGroups()
      const at = this.#stamp()
      const separateMemberRows = body.separateMemberRows ?? false
      const row = { ...texts, separateMemberRows, createdAtUs: at, updatedAtUs: at }
      const id = this.#store.insert(row)
      const { taken, rejected } = this.#store.replaceMembers(id, ips, this.#clock.now())
      if (ips.length > 0 && taken.length === 0) throw allRejected(rejected)
      return { group: this.read(id), rejectedIps: rejected }
    })
    this.#hub.publish('ClientGroupCreated', group)
    return { ...group, rejectedIps }
  }

  update(id: number, body: GroupChange): ClientGroup {
    this.#found(id)
    const { separateMemberRows } = body
    const isGiven = typeof separateMemberRows === 'boolean'
    const fault = { field: 'SeparateMemberRows', message: 'separateMemberRows is required' }
    const texts = checkedTexts(body, isGiven ? [] : [fault])
    const group = this.#store.atOnce(() => {
      this.#checkUnchanged(id, body.expectedUpdatedAtUtc)
      if (this.#store.isTaken(texts.nickname, id)) throw nicknameTaken()
      const row = { ...texts, separateMemberRows: separateMemberRows ?? false }
      this.#store.update(id, { ...row, updatedAtUs: this.#stamp() })
      return this.read(id)
    })
    this.#hub.publish('ClientGroupUpdated', group)
    return group
  }

  /** Replaces the membership with the list, except for addresses of other groups. */
  replaceMembers(id: number, body: MembersChange) {
    const { group, rejectedIps } = this.#store.atOnce(() => {
      this.#checkUnchanged(id, body.expectedUpdatedAtUtc)
      const ips = memberList(body.clientIps)
      const { rejected } = this.#store.replaceMembers(id, ips, this.#clock.now())
      this.#store.update(id, { updatedAtUs: this.#stamp() })
      return { group: this.read(id), rejectedIps: rejected }
    })
    this.#hub.publish('ClientGroupUpdated', group)
    return { group, rejectedIps }
  }

  delete(id: number): void {
    this.#found(id)
    this.#store.delete(id)
    this.#hub.publish('ClientGroupDeleted', id)
  }

  #stamp = () => nextStamp(this.#clock.now(), this.#store.lastStamp())

  #found(id: number): GroupRecord {
    const record = this.#store.byId(id)
    if (record === null) throw new AppError('notFound', 'Client group not found')
    return record
  }

  /** Throws when the group has changed since the caller read it. */
  #checkUnchanged(id: number, expectedUpdatedAtUtc: string | null | undefined): void {
    const wanted = expectedStamp(expectedUpdatedAtUtc)
    const record = this.#found(id)
    if (wanted === null || wanted === record.updatedAtUs) return
    const extra = { currentGroup: groupOf(record) }
    throw new AppError('conflict', 'client-group-changed', { extra })
  }
}
