import { ascii, indexOfBytes, sameBytes, type ByteSpan } from '../bytes.ts'

const depotMark = ascii('/depot/')
const slash = 0x2f
const maxDepotId = 4_294_967_295

/** Runtimes that nearly every Windows game installs: their app and its range of depots. */
const redistributables = { appId: 228_980, firstDepot: 228_981, lastDepot: 229_033 } as const

/** Depots of widely played games whose owner is well known; the catalogue has the rest. */
const games: readonly [appId: number, name: string, depots: readonly number[]][] = [
  [70, 'Half-Life', [1]],
  [220, 'Half-Life 2', [221]],
  [400, 'Portal', [401]],
  [440, 'Team Fortress 2', [441]],
  [550, 'Left 4 Dead 2', [551]],
  [570, 'Dota 2', [571, 572, 573]],
  [620, 'Portal 2', [621]],
  [730, 'Counter-Strike 2', [731, 732, 733, 734, 2347770, 2347771, 2347773, 2347774]],
  [4000, "Garry's Mod", [4001]],
  [105600, 'Terraria', [105601]],
  [108600, 'Project Zomboid', [108601]],
  [227300, 'Euro Truck Simulator 2', [227301]],
  [230410, 'Warframe', [230411]],
  [236390, 'War Thunder', [236391]],
  [252490, 'Rust', [252491]],
  [252950, 'Rocket League', [252951]],
  [255710, 'Cities: Skylines', [255711]],
  [271590, 'Grand Theft Auto V', [271591]],
  [292030, 'The Witcher 3: Wild Hunt', [292031]],
  [294100, 'RimWorld', [294101]],
  [359550, "Tom Clancy's Rainbow Six Siege", [359551]],
  [367520, 'Hollow Knight', [367521]],
  [381210, 'Dead by Daylight', [381211]],
  [413150, 'Stardew Valley', [413151]],
  [427520, 'Factorio', [427521]],
  [435150, 'Divinity: Original Sin 2', [435151]],
  [526870, 'Satisfactory', [526871]],
  [578080, 'PUBG: BATTLEGROUNDS', [578081]],
  [582010, 'Monster Hunter: World', [582011]],
  [739630, 'Phasmophobia', [739631]],
  [892970, 'Valheim', [892971]],
  [1086940, "Baldur's Gate 3", [1086941]],
  [1091500, 'Cyberpunk 2077', [1091501]],
  [1145360, 'Hades', [1145361]],
  [1172470, 'Apex Legends', [1172471]],
  [1174180, 'Red Dead Redemption 2', [1174181]],
  [1245620, 'ELDEN RING', [1245621]],
]

const byDepot = new Map(
  games.flatMap(([appId, name, depots]) => depots.map((depot) => [depot, { appId, name }])),
)

const redistributablesOwner = {
  appId: redistributables.appId,
  name: 'Steamworks Common Redistributables',
}

export const isRedistributable = (depotId: number): boolean =>
  depotId >= redistributables.firstDepot && depotId <= redistributables.lastDepot

/** The game of a well-known depot, as long as there is no catalogue. */
export const knownDepot = (depotId: number): { appId: number; name: string } | undefined =>
  isRedistributable(depotId) ? redistributablesOwner : byDepot.get(depotId)

/** Depot of the first `/depot/<digits>/` in the span, or -1. */
export function depotIn(buffer: Uint8Array, target: ByteSpan): number {
  let at = target.from
  if (at + 7 > target.to || !sameBytes(buffer, at, depotMark)) {
    at = indexOfBytes(buffer, depotMark, target)
  }
  while (at >= 0) {
    let digit = at + depotMark.length
    let depot = 0
    for (; digit < target.to; digit++) {
      const value = (buffer[digit] as number) - 0x30
      if (value < 0 || value > 9) break
      depot = Math.min(depot * 10 + value, maxDepotId + 1)
    }
    const hasDigits = digit > at + depotMark.length
    if (hasDigits && depot <= maxDepotId && buffer[digit] === slash && digit < target.to) {
      return depot
    }
    at = indexOfBytes(buffer, depotMark, { from: at + 1, to: target.to })
  }
  return -1
}
