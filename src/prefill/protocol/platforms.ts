import type { Platform } from '../../engines/titles/titles.ts'

/** How one platform's daemon uses the protocol. */
export interface PlatformWire {
  /** The name that people read. */
  title: string
  /** HKDF info of the credential encryption. */
  credentialInfo: string
  /** False: the daemon counts as signed in as soon as it answers. */
  hasLogin: boolean
  /** App ids are JSON numbers; elsewhere texts. */
  hasNumericIds: boolean
  /**
   * Published images read a connection's next command only after they answered the previous one, so
   * that control commands need a second connection.
   */
  isOneAtATime: boolean
  /** Published images close the connection without an answer when they refuse a secret. */
  refusesSilently: boolean
  /** Published images may send no terminal event after a cancel. */
  mayOmitCancelled: boolean
  /** Form of the parameter `top`: a number, or `true`. Null: not known. */
  topForm: 'count' | 'flag' | null
  /** The stored sign-in can be read only under the host name it was stored under. */
  bindsLoginToHostName: boolean
}

const lanes = { isOneAtATime: false, refusesSilently: false, mayOmitCancelled: false }
const single = { isOneAtATime: true, refusesSilently: true, mayOmitCancelled: true }
const anonymous = {
  hasLogin: false,
  hasNumericIds: false,
  topForm: null,
  bindsLoginToHostName: false,
}
const account = {
  hasLogin: true,
  hasNumericIds: false,
  topForm: 'flag',
  bindsLoginToHostName: true,
} as const

/** Wire constants by platform; names inside of values belong to the protocol. */
export const platformWire: Readonly<Record<Platform, PlatformWire>> = {
  alpha: {
    ...lanes,
    title: 'Steam',
    hasLogin: true,
    hasNumericIds: true,
    topForm: 'count',
    bindsLoginToHostName: false,
    credentialInfo: 'SteamPrefill-Credential-Encryption',
  },
  beta: {
    title: 'Epic Games',
    ...single,
    ...account,
    credentialInfo: 'EpicPrefill-Credential-Encryption',
  },
  gamma: {
    title: 'Battle.net',
    ...lanes,
    ...anonymous,
    credentialInfo: 'BattleNetPrefill-Credential-Encryption',
  },
  delta: {
    title: 'Riot Games',
    ...single,
    ...anonymous,
    credentialInfo: 'RiotPrefill-Credential-Encryption',
  },
  epsilon: {
    title: 'Xbox',
    ...single,
    ...account,
    credentialInfo: 'XboxPrefill-Credential-Encryption',
  },
}
