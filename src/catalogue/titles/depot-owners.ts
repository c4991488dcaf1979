/*
 * Shared depots. A title names one app, yet a depot may be shared. `titles/depot-owners.ts` says
 * which other apps use one; such a depot keeps its files, log lines and downloads as long as
 * another app that uses it has content or downloads, and the preview names it. Without a catalogue
 * this is known only of the redistributables (228981 to 229033), which are never removed with a
 * game.
 */
import { isRedistributable, knownDepot } from '../../engines/titles/alpha/title.ts'

/** Apps that use a depot besides the one in its title. */
export type DepotOwners =
  | { kind: 'apps'; appIds: readonly number[] }
  /** Shipped with nearly every game: never removed with a game, only with its own app. */
  | { kind: 'every'; ownAppId: number }

/** Null when no other app is known. */
export type OwnersOf = (depotId: number) => DepotOwners | null

/** Defaults that hold without a catalogue. */
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

/** Apps in use, other than `appId`, that need the depot. */
export const otherUsers = <T extends { appId: number }>(
  owners: DepotOwners,
  { appId, inUse }: { appId: number; inUse: readonly T[] },
): T[] =>
  inUse.filter(
    (one) => one.appId !== appId && (owners.kind === 'every' || owners.appIds.includes(one.appId)),
  )
