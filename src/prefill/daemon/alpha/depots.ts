import type { AppInfo, Depot } from './app-info.ts'
import type { AlphaClient } from './client.ts'
import type { Ownership } from './ownership.ts'

/** Tools and redistributables, which every game shares and the client fetches by itself. */
const excluded: ReadonlySet<number> = new Set([
  381_450,
  2_347_779,
  1_770_480,
  731,
  732,
  734,
  ...Array.from({ length: 10 }, (_, index) => 228_981 + index),
])
const usualSystems = ['windows']

/** The app through which an account owns a depot. */
const holderOf = (game: AppInfo, { dlcAppId, fromAppId }: Depot) =>
  dlcAppId || fromAppId || game.appId

const infos = (client: AlphaClient, ids: Iterable<number>, signal: AbortSignal) =>
  client.apps([...new Set(ids)], signal)

/** The game, its owned DLC and the apps that it borrows from. Rejects for an unknown app. */
async function familyOf(
  client: AlphaClient,
  { appId, ownership }: { appId: number; ownership: Ownership },
  signal: AbortSignal,
) {
  const game = (await infos(client, [appId], signal)).get(appId)
  if (game === undefined) throw new Error(`Steam does not know the app ${appId}`)
  const dlc = await infos(
    client,
    game.dlcIds.filter((id) => ownership.apps.has(id)),
    signal,
  )
  const all = [game, ...dlc.values()].flatMap((app) =>
    app.depots.map((depot) =>
      // The depots of a DLC that has its own app belong to that app.
      app === game || depot.dlcAppId > 0 ? depot : { ...depot, dlcAppId: app.appId },
    ),
  )
  const depots = [...new Map(all.toReversed().map((depot) => [depot.depotId, depot])).values()]
  const lenderIds = depots.filter(({ manifestId }) => manifestId === null)
  const lenders = await infos(
    client,
    lenderIds.map(({ fromAppId }) => fromAppId).filter((id) => id > 0),
    signal,
  )
  return {
    game,
    /** By app id: apps from which depots are borrowed. */
    lenders,
    depots,
  }
}

/**
 * The depots that the account's client would download: owned, for the wanted systems, 64 bit,
 * English and uncut, with the current manifest of everyone. Rejects for an unknown app.
 */
export async function depotsOf(
  client: AlphaClient,
  about: { appId: number; ownership: Ownership; systems: readonly string[] },
  signal: AbortSignal,
) {
  const { ownership } = about
  const { game, lenders, depots } = await familyOf(client, about, signal)
  const wanted = about.systems.length > 0 ? about.systems : usualSystems
  const isForSystem = ({ systems }: Depot) =>
    systems.length === 0 || systems.some((system) => wanted.includes(system))
  const isOwned = (depot: Depot) =>
    ownership.apps.has(holderOf(game, depot)) &&
    (ownership.depots.has(depot.depotId) || ownership.apps.has(depot.depotId))
  const manifestOf = ({ depotId, manifestId, fromAppId }: Depot) =>
    manifestId ??
    lenders.get(fromAppId)?.depots.find((depot) => depot.depotId === depotId)?.manifestId ??
    null
  const usable = depots.filter(
    (depot) =>
      !excluded.has(depot.depotId) &&
      isOwned(depot) &&
      depot.isFor64Bit &&
      depot.isForEnglish &&
      !depot.isLowViolence &&
      manifestOf(depot) !== null,
  )
  const chosen = usable.filter(isForSystem)
  return {
    name: game.name,
    depots: chosen.map((depot) => ({
      // Of a DLC's borrowed depot, too, the lender gives out the manifest.
      appId: depot.fromAppId || holderOf(game, depot),
      depotId: depot.depotId,
      manifestId: manifestOf(depot) ?? '',
    })),
    /** There are depots, but for other systems only. */
    isUnsupportedOs: chosen.length === 0 && usable.length > 0,
  }
}
/** The depots of a game that its account would download. */
export type GameDepots = Awaited<ReturnType<typeof depotsOf>>
