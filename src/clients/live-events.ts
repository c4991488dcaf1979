import { Type } from '@sinclair/typebox'
import { accounts, Cleared, everyone, type PayloadsOf } from '../core/live/events.ts'
import { ClientGroup } from './groups/model.ts'

/** Events of this group. */
export const clientsEvents = {
  ClientHostnamesChanged: everyone(Type.Null()),
  ClientGroupCreated: accounts(ClientGroup),
  ClientGroupUpdated: accounts(ClientGroup),
  ClientGroupDeleted: accounts(Type.Integer({ description: 'Id of the group' })),
  ClientGroupsCleared: accounts(Cleared),
}

declare module '../core/live/events.ts' {
  interface EventPayloads extends PayloadsOf<typeof clientsEvents> {}
}
