import { SettingError, type SettingsReader } from './settings-reader.ts'

/** Base URL of a service: http or https, with an optional path; without a trailing slash. */
export function baseUrl(read: SettingsReader, name: string, fallback: string): string {
  const text = read.text(name) ?? fallback
  const url = URL.parse(text)
  const isWeb = url?.protocol === 'http:' || url?.protocol === 'https:'
  if (url === null || !isWeb || `${url.username}${url.password}${url.search}${url.hash}` !== '') {
    throw new SettingError(`${name}: is not valid; allowed: an http or https address`)
  }
  return url.href.replace(/\/+$/, '')
}

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
    loginBaseUrl: baseUrl(read, 'Beta__LoginBaseUrl', 'https://www.epicgames.com'),
    accountBaseUrl: baseUrl(
      read,
      'Beta__AccountBaseUrl',
      'https://account-public-service-prod.ol.epicgames.com',
    ),
    catalogBaseUrl: baseUrl(read, 'Beta__CatalogBaseUrl', host('catalog')),
    launcherBaseUrl: baseUrl(read, 'Beta__LauncherBaseUrl', host('launcher')),
    storeBaseUrl: baseUrl(
      read,
      'Beta__StoreBaseUrl',
      'https://store-site-backend-static.ak.epicgames.com',
    ),
    clientId: read.text('Beta__ClientId') ?? betaClient.id,
    clientSecret: read.secret('Beta__ClientSecret') ?? betaClient.secret,
  }
}

/** The connection to Xbox: each step of the sign-in has a host of its own. */
export function epsilonAddresses(read: SettingsReader) {
  const url = (name: string, host: string) =>
    baseUrl(read, `Epsilon__${name}BaseUrl`, `https://${host}`)
  return {
    loginBaseUrl: url('Login', 'login.live.com'),
    userAuthBaseUrl: url('UserAuth', 'user.auth.xboxlive.com'),
    deviceAuthBaseUrl: url('DeviceAuth', 'device.auth.xboxlive.com'),
    xstsBaseUrl: url('Xsts', 'xsts.auth.xboxlive.com'),
    profileBaseUrl: url('Profile', 'profile.xboxlive.com'),
    titleHubBaseUrl: url('TitleHub', 'titlehub.xboxlive.com'),
    catalogBaseUrl: url('Catalog', 'displaycatalog.mp.microsoft.com'),
    packagesBaseUrl: url('Packages', 'packagespc.xboxlive.com'),
  }
}
