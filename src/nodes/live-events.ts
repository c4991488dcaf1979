import { Type } from '@sinclair/typebox'
import { accounts } from '../core/live/events.ts'

/** Events of this group. */
export const nodeEvents = {
  /** A node joined, came, went or was changed. */
  NodesChanged: accounts(Type.Null()),
}
