import type { DeviceKind } from './guess.ts'
import type { ClientDevice } from './model.ts'

/** What kind of device each client is: chosen by somebody, else guessed. */
export interface Devices {
  /** Those that are known; none of hidden clients. */
  list(): Promise<ClientDevice[]>
  /** Null returns to the guess. Throws `invalid` when it is no address. */
  choose(address: string, kind: DeviceKind | null): void
}
