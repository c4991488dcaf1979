import pLimit from 'p-limit'
import type { Platform } from '../../platforms/platforms.ts'
import { accountKey, type AccountSlot } from '../transports/contract.ts'
import type { EditIds } from './model.ts'

/** What a call is about, and the edit session that it belongs to. */
export type Target = {
  service: string | number
  sessionId?: string | null | undefined
} & EditIds

/** The account that the documented API means. */
export const firstOf = (platform: Platform): AccountSlot => ({ platform, accountId: null })

export type Gated = ReturnType<typeof createGates>

/** Changes of one account happen one after the other. */
export function createGates() {
  const gates = new Map<string, ReturnType<typeof pLimit>>()
  return <T>(slot: AccountSlot, work: () => Promise<T>): Promise<T> => {
    const key = accountKey(slot)
    const gate = gates.get(key) ?? pLimit(1)
    gates.set(key, gate)
    return gate(work)
  }
}
