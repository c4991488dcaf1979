import pLimit from 'p-limit'
import { platforms, type Platform } from '../../platforms/platforms.ts'
import type { EditIds } from './model.ts'

/** What a call is about, and the edit session that it belongs to. */
export type Target = {
  service: string | number
  sessionId?: string | null | undefined
} & EditIds

export type Gated = ReturnType<typeof createGates>

/** Changes of one platform happen one after the other. */
export function createGates() {
  const gates = new Map(platforms.map((platform) => [platform, pLimit(1)]))
  return <T>(platform: Platform, work: () => Promise<T>): Promise<T> =>
    gates.get(platform)?.(work) ?? work()
}
