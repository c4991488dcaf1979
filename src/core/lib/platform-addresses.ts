import type { SettingsReader } from './settings-reader.ts'

/** The launcher's own public client; Epic accepts sign-ins by code only from known clients. */
const betaClient = {
  id: '34a02cf8f4414e29b15921876da36f9a',
  secret: 'daafbccc737745039dffe53d94fc76cf',
}

/** The connection to Epic Games. */
export function betaAddresses(read: SettingsReader) {
  const host = (name: string) => `https://${name}-public-service-prod06.ol.epicgames.com`
  return {
    /** Only opened in the browser, for signing in. */
    loginBaseUrl: read.url('Beta__LoginBaseUrl', 'https://www.epicgames.com'),
    accountBaseUrl: read.url(
      'Beta__AccountBaseUrl',
      'https://account-public-service-prod03.ol.epicgames.com',
    ),
    catalogBaseUrl: read.url('Beta__CatalogBaseUrl', host('catalog')),
    launcherBaseUrl: read.url('Beta__LauncherBaseUrl', host('launcher')),
    libraryBaseUrl: read.url(
      'Beta__LibraryBaseUrl',
      'https://library-service.live.use1a.on.epicgames.com',
    ),
    storeBaseUrl: read.url(
      'Beta__StoreBaseUrl',
      'https://store-site-backend-static.ak.epicgames.com',
    ),
    /** Of the hosts that have a build, these are tried first, in this order. */
    contentHosts: read.list('Beta__ContentHosts').map((host) => host.toLowerCase()),
    clientId: read.text('Beta__ClientId') ?? betaClient.id,
    clientSecret: read.secret('Beta__ClientSecret') ?? betaClient.secret,
  }
}

const alphaWebApi = 'https://api.steampowered.com'

/** The connection to Steam. With an address other than Steam's own, sign-ins use HTTP to it, too. */
export function alphaAddresses(read: SettingsReader) {
  const webApiBaseUrl = read.url('Alpha__WebApiBaseUrl', alphaWebApi)
  return {
    webApiBaseUrl,
    isOwnWebApi: webApiBaseUrl !== alphaWebApi,
    /** Directory of the servers of Steam's own client. */
    cmListBaseUrl: read.url('Alpha__CmListBaseUrl', alphaWebApi),
  }
}

const betaEnvironment = (beta: ReturnType<typeof betaAddresses>) => ({
  Beta__LoginBaseUrl: beta.loginBaseUrl,
  Beta__AccountBaseUrl: beta.accountBaseUrl,
  Beta__CatalogBaseUrl: beta.catalogBaseUrl,
  Beta__LauncherBaseUrl: beta.launcherBaseUrl,
  Beta__LibraryBaseUrl: beta.libraryBaseUrl,
  Beta__ContentHosts: beta.contentHosts.join(','),
  Beta__ClientId: beta.clientId,
  Beta__ClientSecret: beta.clientSecret,
})

/** Version services that the built-in prefills ask. */
export function prefillAddresses(read: SettingsReader) {
  return {
    gamma: { patchBaseUrl: read.url('Gamma__VersionsBaseUrl', 'http://us.patch.battle.net:1119') },
    delta: {
      configBaseUrl: read.url('Delta__PatchlineBaseUrl', 'https://clientconfig.rpg.riotgames.com'),
      sieveBaseUrl: read.url('Delta__SieveBaseUrl', 'https://sieve.services.riotcdn.net'),
    },
  }
}

/** The connection to Xbox: each step of the sign-in has a host of its own. */
export function epsilonAddresses(read: SettingsReader) {
  return {
    loginBaseUrl: read.url('Epsilon__LoginBaseUrl', 'https://login.live.com'),
    userAuthBaseUrl: read.url('Epsilon__UserAuthBaseUrl', 'https://user.auth.xboxlive.com'),
    deviceAuthBaseUrl: read.url('Epsilon__DeviceAuthBaseUrl', 'https://device.auth.xboxlive.com'),
    xstsBaseUrl: read.url('Epsilon__XstsBaseUrl', 'https://xsts.auth.xboxlive.com'),
    profileBaseUrl: read.url('Epsilon__ProfileBaseUrl', 'https://profile.xboxlive.com'),
    titleHubBaseUrl: read.url('Epsilon__TitleHubBaseUrl', 'https://titlehub.xboxlive.com'),
    catalogBaseUrl: read.url('Epsilon__CatalogBaseUrl', 'https://displaycatalog.mp.microsoft.com'),
    packagesBaseUrl: read.url('Epsilon__PackagesBaseUrl', 'https://packagespc.xboxlive.com'),
    storeBaseUrl: read.url('Epsilon__StoreBaseUrl', 'https://www.microsoft.com'),
  }
}
export type EpsilonAddresses = ReturnType<typeof epsilonAddresses>

const epsilonEnvironment = (addresses: EpsilonAddresses): Record<string, string> =>
  Object.fromEntries(
    Object.entries(addresses).map(([name, url]) => [
      `Epsilon__${name.charAt(0).toUpperCase()}${name.slice(1)}`,
      url,
    ]),
  )

/** Variables with which a daemon reads the same addresses. */
export const platformEnvironment = (
  config: ReturnType<typeof prefillAddresses> & {
    alpha: ReturnType<typeof alphaAddresses>
    beta: ReturnType<typeof betaAddresses>
    epsilon: EpsilonAddresses
  },
): Record<string, string> => ({
  Alpha__WebApiBaseUrl: config.alpha.webApiBaseUrl,
  Alpha__CmListBaseUrl: config.alpha.cmListBaseUrl,
  ...betaEnvironment(config.beta),
  Gamma__VersionsBaseUrl: config.gamma.patchBaseUrl,
  Delta__PatchlineBaseUrl: config.delta.configBaseUrl,
  Delta__SieveBaseUrl: config.delta.sieveBaseUrl,
  ...epsilonEnvironment(config.epsilon),
})
