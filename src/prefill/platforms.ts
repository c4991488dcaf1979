/** Platforms in the order of the enumeration of the API: 0 to 4. */
export const platforms = ['alpha', 'beta', 'gamma', 'delta', 'epsilon'] as const
export type Platform = (typeof platforms)[number]

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
  /** The daemon reads a connection's next command only after it answered the last one. */
  takesOneCommand: boolean
  /** Prefix of the platform's events. */
  eventPrefix: '' | PlatformName
  /** Path of the platform's hub. */
  hubPath: string
}

const facts = (
  platform: Platform,
  title: string,
  rest: { needsLogin: boolean; takesOneCommand: boolean },
): PlatformFacts => {
  // The first letter of a key in upper case is the name of the enumeration.
  const name = (platform.charAt(0).toUpperCase() + platform.slice(1)) as PlatformName
  const isAlpha = platform === 'alpha'
  return {
    name,
    title,
    ...rest,
    eventPrefix: isAlpha ? '' : name,
    hubPath: `/hubs/${platform}-${isAlpha ? 'daemon' : 'prefill-daemon'}`,
  }
}

export const platformFacts: Readonly<Record<Platform, PlatformFacts>> = {
  alpha: facts('alpha', 'Steam', { needsLogin: true, takesOneCommand: false }),
  beta: facts('beta', 'Epic Games', { needsLogin: true, takesOneCommand: true }),
  gamma: facts('gamma', 'Battle.net', { needsLogin: false, takesOneCommand: false }),
  delta: facts('delta', 'Riot Games', { needsLogin: false, takesOneCommand: true }),
  epsilon: facts('epsilon', 'Xbox', { needsLogin: true, takesOneCommand: true }),
}

/** The platform of a name or number of the enumeration, in any case; null: there is none. */
export function platformOf(text: string): Platform | null {
  const wanted = text.trim().toLowerCase()
  return platforms.find((one, index) => one === wanted || String(index) === wanted) ?? null
}
