import { isRedistributable, knownDepot } from '../../engines/titles/alpha/title.ts'

/** Apps that use a depot besides the one that its title names. */
export type DepotOwners =
  | { kind: 'apps'; appIds: readonly number[] }
  /** Nearly every game brings it along: it never goes with a game, only with its own app. */
  | { kind: 'every'; ownAppId: number }

/** Null: no other app is known. */
export type OwnersOf = (depotId: number) => DepotOwners | null

/** What holds without a catalogue. */
export const knownOwners: OwnersOf = (depotId) =>
  isRedistributable(depotId)
    ? { kind: 'every', ownAppId: knownDepot(depotId)?.appId ?? depotId }
    : null

/** Whether a depot stays when `appId` is removed while other apps (`usedBy`) are in use. */
export function staysWithout(
  owners: DepotOwners,
  { appId, usedBy }: { appId: number; usedBy: readonly number[] },
): boolean {
  return usedBy.length > 0 || (owners.kind === 'every' && owners.ownAppId !== appId)
}

/** Which of the apps that are in use need a depot besides `appId`. */
export const otherUsers = <T extends { appId: number }>(
  owners: DepotOwners,
  { appId, inUse }: { appId: number; inUse: readonly T[] },
): T[] =>
  inUse.filter(
    (one) => one.appId !== appId && (owners.kind === 'every' || owners.appIds.includes(one.appId)),
  )
