/** What other groups may use of the clients: host names, groups, and exclusions. */

export type { ClientDevice } from './devices/model.ts'
export type { Devices } from './devices/contract.ts'
export { excludedClients } from './exclusions/service.ts'
export { shownSpeeds } from './exclusions/speeds.ts'
export { type GroupRecord, GroupStore } from './groups/store.ts'
export type { HostNames } from './host-names/contract.ts'
