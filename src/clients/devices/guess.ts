import type { deviceKinds } from '../../../db/state/schema/clients.ts'

export type DeviceKind = (typeof deviceKinds)[number]

/**
 * Words at the start of a part of a name: what vendors call their devices by default, and what
 * people call theirs in English and German. The first row that matches wins; `!` ends a word.
 */
const words: readonly [DeviceKind, string][] = [
  ['handheld', 'steam-?deck rog-?ally ally! legion-?go! claw!'],
  ['console', 'xbox ps[345]! playstation nintendo wii console konsole'],
  ['tv', 'tv! apple-?tv android-?tv fire-?tv chromecast bravia lgwebos roku shield! fernseher'],
  ['laptop', 'laptop notebook macbook mbp! mba! thinkpad ideapad surface'],
  ['phone', 'iphone ipad android pixel-?\\d galaxy oneplus redmi phone handy! smartphone tablet'],
  [
    'server',
    'nas! server! srv! synology diskstation qnap truenas unraid proxmox pve! docker raspberry',
  ],
  [
    'computer',
    'desktop pc! win! imac mac-?mini mac-?studio mac-?pro workstation tower rig! rechner',
  ],
]

const rules = words.map(([kind, list]) => {
  const alternatives = list.split(' ').map((word) => word.replace('!', '(?![a-z])'))
  return { kind, pattern: new RegExp(`(?<![a-z])(?:${alternatives.join('|')})`, 'i') }
})

/** What a host name or nickname says; null when it says nothing. */
export const kindOfName = (name: string): DeviceKind | null =>
  rules.find(({ pattern }) => pattern.test(name))?.kind ?? null

const consoleServices = /^(sony|nintendo|xbox|xboxlive)$/
/** Services that only computers use: launchers of games, and Windows Update. */
const computerServices =
  /^(steam|epic|epicgames|blizzard|riot|origin|uplay|wsus|windowsupdates|rockstar|wargaming|arenanet)$/

/** What a client's services say: games of consoles only, or anything of a computer. */
export function kindOfServices(services: readonly string[]): DeviceKind | null {
  if (services.some((service) => computerServices.test(service))) return 'computer'
  const isConsole = services.length > 0 && services.every((name) => consoleServices.test(name))
  return isConsole ? 'console' : null
}
