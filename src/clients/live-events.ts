import { Type } from '@sinclair/typebox'
import { accounts, Cleared, everyone } from '../core/live/events.ts'
import { ClientGroup } from './groups/model.ts'

/** Events of this group. */
export const clientsEvents = {
  ClientHostnamesChanged: everyone(Type.Null()),
  ClientDevicesChanged: accounts(Type.Null()),
  ClientGroupCreated: accounts(ClientGroup),
  ClientGroupUpdated: accounts(ClientGroup),
  ClientGroupDeleted: accounts(Type.Integer({ description: 'Id of the group' })),
  ClientGroupsCleared: accounts(Cleared),
}
