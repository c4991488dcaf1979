import type Docker from 'dockerode'
import type { AccountSlot, LoginRemoval } from '../contract.ts'
import { statusOf } from './faults.ts'
import { volumeName } from './names.ts'

const outcomes = new Map<number, LoginRemoval>([
  [404, 'NotFound'],
  [409, 'InUse'],
])

/** Deletes the volume with an account's stored login. Throws the engine's errors. */
export async function removeLogin(
  engine: Docker,
  slot: AccountSlot,
  installation: string,
): Promise<LoginRemoval> {
  try {
    await engine.getVolume(volumeName(slot, installation)).remove()
    return 'Removed'
  } catch (error) {
    const outcome = outcomes.get(statusOf(error))
    if (outcome === undefined) throw error
    return outcome
  }
}
