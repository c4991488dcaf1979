import { hasAccounts, type Platform } from './platforms.ts'

/** What a daemon has to know of the protocol of its platform. */
interface ProtocolFacts {
  /** HKDF info of the credential encryption. */
  credentialInfo: string
  /** App ids are JSON numbers; elsewhere texts. */
  hasNumericIds: boolean
  /**
   * How a manager hands over a sign-in that it has stored, with `provide-auto-login`: for a challenge
   * asked for before, for one that the first call answers with, or in a login that asks for it by an
   * event. Null: the platform has no accounts.
   */
  autoLogin: 'asked' | 'answered' | 'event' | null
}

export interface DaemonFacts extends ProtocolFacts {
  needsLogin: boolean
}

/** The columns of the table that only the service needs. */
interface ServiceFacts extends ProtocolFacts {
  /** Services whose requests have titles of the platform. */
  titledServices: RegExp
  /** What the log engine calls its traffic without a title. */
  trafficLabel: string
  /** Start of the names of its containers. */
  containerPrefix: string
  /**
   * Published images read a connection's next command only after they answered the previous one, so
   * that control commands need a second connection.
   */
  isOneAtATime: boolean
  /** Form of the parameter `top`: a number, or `true`. Null: not known. */
  topForm: 'count' | 'flag' | null
  /** Diagnostics: an address that its content comes from, and names of its content servers. */
  probe: { url: string; domains: readonly string[] }
}

/** Names inside of values belong to the protocol. */
export const serviceFacts: Readonly<Record<Platform, ServiceFacts>> = {
  alpha: {
    titledServices: /^steam$/,
    trafficLabel: 'Steam',
    containerPrefix: 'alpha-daemon-',
    autoLogin: 'asked',
    hasNumericIds: true,
    credentialInfo: 'SteamPrefill-Credential-Encryption',
    isOneAtATime: false,
    topForm: 'count',
    probe: {
      url: 'https://api.steampowered.com/',
      domains: ['lancache.steamcontent.com', 'steam.cache.lancache.net'],
    },
  },
  beta: {
    titledServices: /epic/,
    trafficLabel: 'Epic Games',
    containerPrefix: 'beta-daemon-',
    autoLogin: 'event',
    hasNumericIds: false,
    credentialInfo: 'EpicPrefill-Credential-Encryption',
    isOneAtATime: true,
    topForm: 'flag',
    probe: {
      url:
        'https://launcher-public-service-prod06.ol.epicgames.com' +
        '/launcher/api/public/assets/Windows?label=Live',
      domains: ['epicgames-download1.akamaized.net', 'egdownload.fastly-edge.com'],
    },
  },
  gamma: {
    titledServices: /blizzard|^battle\.?net$/,
    trafficLabel: 'Blizzard / Battle.net',
    containerPrefix: 'gamma-prefill-',
    autoLogin: null,
    hasNumericIds: false,
    credentialInfo: 'BattleNetPrefill-Credential-Encryption',
    isOneAtATime: false,
    topForm: null,
    probe: {
      url: 'https://us.cdn.blizzard.com/',
      domains: ['level3.blizzard.com', 'blzddist1-a.akamaihd.net'],
    },
  },
  delta: {
    titledServices: /^riot(?:games)?$/,
    trafficLabel: 'Riot Games',
    containerPrefix: 'delta-prefill-',
    autoLogin: null,
    hasNumericIds: false,
    credentialInfo: 'RiotPrefill-Credential-Encryption',
    isOneAtATime: true,
    topForm: null,
    probe: {
      url: 'https://lol.dyn.riotcdn.net/',
      domains: ['lol.dyn.riotcdn.net', 'valorant.dyn.riotcdn.net'],
    },
  },
  epsilon: {
    titledServices: /wsus|xboxlive/,
    trafficLabel: 'Xbox Live',
    containerPrefix: 'epsilon-daemon-',
    autoLogin: 'answered',
    hasNumericIds: false,
    credentialInfo: 'XboxPrefill-Credential-Encryption',
    isOneAtATime: true,
    topForm: 'flag',
    probe: {
      url: 'https://displaycatalog.mp.microsoft.com/',
      domains: ['assets1.xboxlive.com', 'dl.delivery.mp.microsoft.com'],
    },
  },
}

export const daemonFacts = (platform: Platform): DaemonFacts => ({
  ...serviceFacts[platform],
  needsLogin: hasAccounts(platform),
})
