import { networkInterfaces } from 'node:os'
import { normalAddress } from './address.ts'

/** All addresses of this machine, or of the network of this container, as logs spell them. */
export const ownAddresses = (): string[] =>
  Object.values(networkInterfaces()).flatMap((addresses) =>
    (addresses ?? []).flatMap(({ address }) => normalAddress(address) ?? []),
  )
