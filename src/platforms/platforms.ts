/**
 * The platforms whose downloads have titles and can be prefilled. Everything that differs by platform
 * and is data stands here, or in service-facts.ts if the dashboard does not need it: it loads this file
 * with its first page. A list of platforms is made from this table.
 */

/** What can be prefilled besides chosen games. */
export type Preset = 'All' | 'Recent' | 'Top'

interface Row {
  /** Its content needs an account; without, a daemon counts as signed in when it answers. */
  needsLogin: boolean
  /** The name in the API, in names of variables and of events. */
  name: string
  /** The name that people read. */
  title: string
  /** Names of its service in access logs, the usual one first. */
  services: readonly [string, ...string[]]
  /** Further services that the dashboard shows in the colour of the platform. */
  relatedServices: readonly string[]
  /** Prefix of the platform's events. */
  eventPrefix: string
  /** Path of the platform's hub. */
  hubPath: string
  presets: readonly Preset[]
  /** Games differ by operating system. */
  hasSystems: boolean
}

const anonymous = {
  needsLogin: false,
  presets: ['All'],
  hasSystems: false,
} as const
const account = { needsLogin: true, hasSystems: false } as const

const rows = {
  alpha: {
    name: 'Alpha',
    title: 'Steam',
    services: ['steam'],
    relatedServices: [],
    eventPrefix: '',
    hubPath: '/hubs/alpha-daemon',
    needsLogin: true,
    presets: ['All', 'Recent', 'Top'],
    hasSystems: true,
  },
  beta: {
    ...account,
    name: 'Beta',
    title: 'Epic Games',
    services: ['epicgames', 'epic'],
    relatedServices: [],
    eventPrefix: 'Beta',
    hubPath: '/hubs/beta-prefill-daemon',
    presets: ['All', 'Top'],
  },
  gamma: {
    ...anonymous,
    name: 'Gamma',
    title: 'Battle.net',
    services: ['blizzard', 'battlenet', 'battle.net'],
    relatedServices: [],
    eventPrefix: 'Gamma',
    hubPath: '/hubs/gamma-prefill-daemon',
  },
  delta: {
    ...anonymous,
    name: 'Delta',
    title: 'Riot Games',
    services: ['riot', 'riotgames'],
    relatedServices: [],
    eventPrefix: 'Delta',
    hubPath: '/hubs/delta-prefill-daemon',
  },
  epsilon: {
    ...account,
    name: 'Epsilon',
    title: 'Xbox',
    services: ['xbox', 'xboxlive'],
    relatedServices: ['microsoft', 'wsus'],
    eventPrefix: 'Epsilon',
    hubPath: '/hubs/epsilon-prefill-daemon',
    presets: ['All', 'Recent', 'Top'],
  },
} as const satisfies Record<string, Row>

export type Platform = keyof typeof rows
/** Name of the enumeration `PrefillPlatform`. */
export type PlatformName = (typeof rows)[Platform]['name']
/** Platforms whose content needs an account. */
export type AccountPlatform = {
  [P in Platform]: (typeof rows)[P]['needsLogin'] extends true ? P : never
}[Platform]

export interface PlatformFacts extends Row {
  name: PlatformName
  eventPrefix: (typeof rows)[Platform]['eventPrefix']
}

export const platformFacts: Readonly<Record<Platform, PlatformFacts>> = rows

// The keys of the table.
export const platforms = Object.keys(rows) as readonly Platform[]
export const platformNames = /* @__PURE__ */ platforms.map(
  (platform) => platformFacts[platform].name,
)

export const hasAccounts = (platform: Platform): platform is AccountPlatform =>
  platformFacts[platform].needsLogin

export const accountPlatforms = /* @__PURE__ */ platforms.filter(hasAccounts)

/** The order in which scheduled runs go through the platforms, and lists show them. */
// Marked as free of side effects: the dashboard leaves out what it does not use.
export const scheduledOrder = /* @__PURE__ */ platforms.toSorted(
  (one, other) => Number(hasAccounts(other)) - Number(hasAccounts(one)),
)

export const isPlatform = (text: string): text is Platform => Object.hasOwn(rows, text)

/** A value for every platform. */
export const perPlatform = <T>(
  valueOf: (platform: Platform) => T,
  order: readonly Platform[] = platforms,
): Record<Platform, T> =>
  // The order names every platform.
  Object.fromEntries(order.map((platform) => [platform, valueOf(platform)])) as Record<Platform, T>

/** The same under keys that contain the platform. */
export const keyedByPlatform = <K extends string, T>(
  keyOf: (platform: Platform) => K,
  valueOf: (platform: Platform) => T,
): Record<K, T> =>
  // Every platform has a key.
  Object.fromEntries(platforms.map((one) => [keyOf(one), valueOf(one)])) as Record<K, T>

/** Names in a sentence: `a`, `b` or `c`. */
export const listed = (names: readonly string[]): string =>
  names.join(', ').replace(/, (?=[^,]*$)/, ' or ')

/** The platform of a name or number of the enumeration, in any case; null: there is none. */
export function platformOf(text: string): Platform | null {
  const wanted = text.trim().toLowerCase()
  return platforms.find((one, index) => one === wanted || String(index) === wanted) ?? null
}
