import type { StateDatabase } from '../../../db/state/open.ts'
import type { Clock } from '../../core/lib/clock.ts'
import { createAccountStore } from '../accounts/store.ts'
import { createBanStore } from '../bans/store.ts'
import { createDepotStore } from './depot-store.ts'
import { createHistoryStore } from './history-store.ts'
import { createSessionStore } from './store.ts'

export const createStores = (state: StateDatabase, clock: Clock) => ({
  rows: createSessionStore(state),
  history: createHistoryStore(state, clock),
  depots: createDepotStore(state),
  bans: createBanStore(state),
  accounts: createAccountStore(state, clock),
})

export type Stores = ReturnType<typeof createStores>
