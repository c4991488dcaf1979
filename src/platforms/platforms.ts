/**
 * The platforms whose downloads have titles and can be prefilled. Everything that differs by platform
 * and is data stands here; a list of platforms is made from this table.
 */

/** What a daemon has to know of the protocol of its platform. */
export interface DaemonFacts {
  /** HKDF info of the credential encryption. */
  credentialInfo: string
  /** Its content needs an account; without, a daemon counts as signed in when it answers. */
  needsLogin: boolean
  /** App ids are JSON numbers; elsewhere texts. */
  hasNumericIds: boolean
  /**
   * How a manager hands over a sign-in that it has stored, with `provide-auto-login`: for a challenge
   * asked for before, for one that the first call answers with, or in a login that asks for it by an
   * event. Null: the platform has no accounts.
   */
  autoLogin: 'asked' | 'answered' | 'event' | null
}

/** What can be prefilled besides chosen games. */
export type Preset = 'All' | 'Recent' | 'Top'

interface Row extends DaemonFacts {
  /** The name in the API, in names of variables and of events. */
  name: string
  /** The name that people read. */
  title: string
  /** Names of its service in access logs, the usual one first. */
  services: readonly [string, ...string[]]
  /** Further services that the dashboard shows in the colour of the platform. */
  relatedServices: readonly string[]
  /** Services whose requests have titles of the platform. */
  titledServices: RegExp
  /** What the log engine calls its traffic without a title. */
  trafficLabel: string
  /** Prefix of the platform's events. */
  eventPrefix: string
  /** Path of the platform's hub. */
  hubPath: string
  /** Start of the names of its containers. */
  containerPrefix: string
  /**
   * Published images read a connection's next command only after they answered the previous one, so
   * that control commands need a second connection.
   */
  isOneAtATime: boolean
  /** Form of the parameter `top`: a number, or `true`. Null: not known. */
  topForm: 'count' | 'flag' | null
  presets: readonly Preset[]
  /** Games differ by operating system. */
  hasSystems: boolean
}

const anonymous = {
  needsLogin: false,
  autoLogin: null,
  hasNumericIds: false,
  topForm: null,
  presets: ['All'],
  hasSystems: false,
} as const
const account = {
  needsLogin: true,
  hasNumericIds: false,
  topForm: 'flag',
  hasSystems: false,
} as const

/** Names inside of values belong to the protocol. */
const rows = {
  alpha: {
    name: 'Alpha',
    title: 'Steam',
    services: ['steam'],
    relatedServices: [],
    titledServices: /^steam$/,
    trafficLabel: 'Steam',
    eventPrefix: '',
    hubPath: '/hubs/alpha-daemon',
    containerPrefix: 'alpha-daemon-',
    isOneAtATime: false,
    needsLogin: true,
    autoLogin: 'asked',
    hasNumericIds: true,
    topForm: 'count',
    presets: ['All', 'Recent', 'Top'],
    hasSystems: true,
    credentialInfo: 'SteamPrefill-Credential-Encryption',
  },
  beta: {
    ...account,
    name: 'Beta',
    title: 'Epic Games',
    services: ['epicgames', 'epic'],
    relatedServices: [],
    titledServices: /epic/,
    trafficLabel: 'Epic Games',
    eventPrefix: 'Beta',
    hubPath: '/hubs/beta-prefill-daemon',
    containerPrefix: 'beta-daemon-',
    isOneAtATime: true,
    autoLogin: 'event',
    presets: ['All', 'Top'],
    credentialInfo: 'EpicPrefill-Credential-Encryption',
  },
  gamma: {
    ...anonymous,
    name: 'Gamma',
    title: 'Battle.net',
    services: ['blizzard', 'battlenet', 'battle.net'],
    relatedServices: [],
    titledServices: /blizzard|^battle\.?net$/,
    trafficLabel: 'Blizzard / Battle.net',
    eventPrefix: 'Gamma',
    hubPath: '/hubs/gamma-prefill-daemon',
    containerPrefix: 'gamma-prefill-',
    isOneAtATime: false,
    credentialInfo: 'BattleNetPrefill-Credential-Encryption',
  },
  delta: {
    ...anonymous,
    name: 'Delta',
    title: 'Riot Games',
    services: ['riot', 'riotgames'],
    relatedServices: [],
    titledServices: /^riot(?:games)?$/,
    trafficLabel: 'Riot Games',
    eventPrefix: 'Delta',
    hubPath: '/hubs/delta-prefill-daemon',
    containerPrefix: 'delta-prefill-',
    isOneAtATime: true,
    credentialInfo: 'RiotPrefill-Credential-Encryption',
  },
  epsilon: {
    ...account,
    name: 'Epsilon',
    title: 'Xbox',
    services: ['xbox', 'xboxlive'],
    relatedServices: ['microsoft', 'wsus'],
    titledServices: /wsus|xboxlive/,
    trafficLabel: 'Xbox Live',
    eventPrefix: 'Epsilon',
    hubPath: '/hubs/epsilon-prefill-daemon',
    containerPrefix: 'epsilon-daemon-',
    isOneAtATime: true,
    autoLogin: 'answered',
    presets: ['All', 'Recent', 'Top'],
    credentialInfo: 'XboxPrefill-Credential-Encryption',
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
export const platformNames = platforms.map((platform) => platformFacts[platform].name)

export const hasAccounts = (platform: Platform): platform is AccountPlatform =>
  platformFacts[platform].needsLogin

/** The order in which scheduled runs go through the platforms, and lists show them. */
export const scheduledOrder = [
  ...platforms.filter(hasAccounts),
  ...platforms.filter((platform) => !hasAccounts(platform)),
]

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
