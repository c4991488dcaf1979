import { platforms, type Platform } from '../engines/titles/titles.ts'
import { platformWire } from './protocol/platforms.ts'

export { platforms, type Platform }

/** The order in which scheduled runs go through the platforms, and lists show them. */
export const scheduledOrder = ['alpha', 'beta', 'epsilon', 'gamma', 'delta'] as const

/** Name of the enumeration `PrefillPlatform`. */
export type PlatformName = Capitalize<Platform>

export interface PlatformFacts {
  /** The name in the API. */
  name: PlatformName
  /** The name that people read. */
  title: string
  /** Its content needs an account. */
  needsLogin: boolean
  /** Prefix of the platform's events. */
  eventPrefix: '' | PlatformName
  /** Path of the platform's hub. */
  hubPath: string
}

const facts = (platform: Platform, title: string): PlatformFacts => {
  // The first letter of a key in upper case is the name of the enumeration.
  const name = (platform.charAt(0).toUpperCase() + platform.slice(1)) as PlatformName
  const isAlpha = platform === 'alpha'
  return {
    name,
    title,
    needsLogin: platformWire[platform].hasLogin,
    eventPrefix: isAlpha ? '' : name,
    hubPath: `/hubs/${platform}-${isAlpha ? 'daemon' : 'prefill-daemon'}`,
  }
}

export const platformFacts: Readonly<Record<Platform, PlatformFacts>> = {
  alpha: facts('alpha', 'Steam'),
  beta: facts('beta', 'Epic Games'),
  gamma: facts('gamma', 'Battle.net'),
  delta: facts('delta', 'Riot Games'),
  epsilon: facts('epsilon', 'Xbox'),
}

/** The platform of a name or number of the enumeration, in any case; null: there is none. */
export function platformOf(text: string): Platform | null {
  const wanted = text.trim().toLowerCase()
  return platforms.find((one, index) => one === wanted || String(index) === wanted) ?? null
}
