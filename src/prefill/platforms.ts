import { platforms, type Platform } from '../engines/titles/titles.ts'

export { platforms, type Platform }

/** The order in which scheduled runs go through the platforms, and lists show them. */
export const scheduledOrder = ['alpha', 'beta', 'epsilon', 'gamma', 'delta'] as const

/** Name of the enumeration `PrefillPlatform`. */
export type PlatformName = Capitalize<Platform>

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

export interface PlatformFacts extends DaemonFacts {
  /** The name in the API. */
  name: PlatformName
  /** The name that people read. */
  title: string
  /** Prefix of the platform's events. */
  eventPrefix: '' | Exclude<PlatformName, 'Alpha'>
  /** Path of the platform's hub. */
  hubPath: string
  /**
   * Published images read a connection's next command only after they answered the previous one, so
   * that control commands need a second connection.
   */
  isOneAtATime: boolean
  /** Form of the parameter `top`: a number, or `true`. Null: not known. */
  topForm: 'count' | 'flag' | null
}

const anonymous = { needsLogin: false, autoLogin: null, hasNumericIds: false, topForm: null }
const account = { needsLogin: true, hasNumericIds: false, topForm: 'flag' } as const

/** Names inside of values belong to the protocol. */
export const platformFacts: Readonly<Record<Platform, PlatformFacts>> = {
  alpha: {
    name: 'Alpha',
    title: 'Steam',
    eventPrefix: '',
    hubPath: '/hubs/alpha-daemon',
    isOneAtATime: false,
    needsLogin: true,
    autoLogin: 'asked',
    hasNumericIds: true,
    topForm: 'count',
    credentialInfo: 'SteamPrefill-Credential-Encryption',
  },
  beta: {
    ...account,
    name: 'Beta',
    autoLogin: 'event',
    title: 'Epic Games',
    eventPrefix: 'Beta',
    hubPath: '/hubs/beta-prefill-daemon',
    isOneAtATime: true,
    credentialInfo: 'EpicPrefill-Credential-Encryption',
  },
  gamma: {
    ...anonymous,
    name: 'Gamma',
    title: 'Battle.net',
    eventPrefix: 'Gamma',
    hubPath: '/hubs/gamma-prefill-daemon',
    isOneAtATime: false,
    credentialInfo: 'BattleNetPrefill-Credential-Encryption',
  },
  delta: {
    ...anonymous,
    name: 'Delta',
    title: 'Riot Games',
    eventPrefix: 'Delta',
    hubPath: '/hubs/delta-prefill-daemon',
    isOneAtATime: true,
    credentialInfo: 'RiotPrefill-Credential-Encryption',
  },
  epsilon: {
    ...account,
    name: 'Epsilon',
    autoLogin: 'answered',
    title: 'Xbox',
    eventPrefix: 'Epsilon',
    hubPath: '/hubs/epsilon-prefill-daemon',
    isOneAtATime: true,
    credentialInfo: 'XboxPrefill-Credential-Encryption',
  },
}

/** The platform of a name or number of the enumeration, in any case; null: there is none. */
export function platformOf(text: string): Platform | null {
  const wanted = text.trim().toLowerCase()
  return platforms.find((one, index) => one === wanted || String(index) === wanted) ?? null
}
