import type { PlatformName } from '../../platforms/platforms.ts'

/**
 * Every environment variable and what it is for, in the order of docs/settings.md. A variable that is
 * not listed here cannot be read: `SettingsReader` accepts these names only. What a variable accepts,
 * and its default, are where it is read.
 */

/** `unset`: what holds without the variable, where code that reads it names no default. */
type Meaning = string | { is: string; unset: string }

export const environmentVariables = {
  'Caches and folders': {
    LanCache__LogPath: { is: 'folder of the access logs', unset: '`/logs` if it exists' },
    LanCache__CachePath: { is: 'folder of the cache files', unset: '`/cache` if it exists' },
    LanCache__AutoDiscoverDatasources: 'one datasource for each pair of folders below the two',
    LanCache__SliceSize: {
      is: 'slice size of the proxy, such as `10m`; `0`: no slices',
      unset: 'read from the cache',
    },
    'LanCache__DataSources__<n>__Name': 'several caches instead of one: name of cache `<n>`',
    'LanCache__DataSources__<n>__LogPath': 'folder of its access logs',
    'LanCache__DataSources__<n>__CachePath': 'folder of its cache files',
    'LanCache__DataSources__<n>__Enabled': 'whether it is used',
    'LanCache__DataSources__<n>__SchemeOverride': 'how its proxy makes cache keys',
    'LanCache__DataSources__<n>__SliceSize': {
      is: 'slice size of its proxy',
      unset: 'read from the cache',
    },
    LanCache__EnvFilePath:
      '`.env` of the caching stack: its cache size, and what the status check needs to know',
    DATA_PATH: {
      is: 'folder of everything that Larder stores',
      unset: '`./data`, in the image `/data`',
    },
    WEB_PATH: { is: 'folder of the built dashboard', unset: '`dist/web` of the program' },
  },
  'Listening, time zone and log': {
    PORT: { is: 'port of the dashboard and the API', unset: 'in the image `8080`' },
    HOST: { is: 'address to listen on', unset: '`0.0.0.0`' },
    Tls__CertPath: 'serves HTTPS: PEM file of the certificate',
    Tls__KeyPath: 'PEM file of its private key',
    NODE_EXTRA_CA_CERTS: 'PEM file of further certificate authorities; daemons get it as well',
    TZ: { is: 'time zone of reports, and of logs that name none', unset: "the machine's" },
    TimeZone: 'the same where `TZ` is not set',
    LOG_LEVEL: "level of Larder's own log",
    Optimizations__EnableGarbageCollectionManagement:
      'allows collecting memory every hour above the threshold of `/api/gc/settings`',
  },
  'Node: Larder beside a cache on another machine': {
    ROLE: '`node` runs a node instead of the service',
    Node__Service: 'address of the dashboard of its service',
    Node__Token: 'token with which it joins, from the page Nodes; not needed afterwards',
    Node__CacheAddress:
      'address of the cache beside the node, `host` or `host:port`, if it is not that of the node',
  },
  Access: {
    Security__EnableAuthentication: '`false` opens everything to everyone',
    Security__GuestSessionDurationHours: 'how long a guest session lasts',
    Security__AllowedHosts: {
      is: 'public names behind a reverse proxy, such as `games.example.org` or `*.example.org`',
      unset: 'addresses and local names',
    },
    Security__AllowedOrigins:
      'other origins whose pages may use the API, such as `https://panel.example.org`',
    Security__ForceSecureCookies:
      'marks cookies as secure behind an HTTPS proxy that sends no `X-Forwarded-Proto`',
    Security__KnownProxyNetworks: 'reverse proxies whose `X-Forwarded-For` is trusted',
    Security__TrustAllProxies: 'trusts `X-Forwarded-For` from everyone',
    Security__ApiKeyPath: {
      is: 'file of the installation key',
      unset: '`security/api_key.txt` in the data folder',
    },
    Security__RequireAuthForMetrics:
      '`/metrics` needs the installation key, in `X-Api-Key` or as Bearer; the API can override it',
    ApiOptions__DefaultClientsLimit: 'rows of `GET /api/stats/clients` unless asked for more',
    ApiOptions__MaxClientsPerRequest: 'rows that a request may ask for',
  },
  'Logs and history': {
    LogProcessing__StartAt: {
      is: 'unattended: logs are read at once from there, without waiting for the set-up',
      unset: 'the set-up asks',
    },
    LogProcessing__PrefillClients:
      'addresses or networks whose traffic is prefill; reports leave it out unless asked for it',
    LogProcessing__PollMs: 'how often logs are checked for new lines, in milliseconds',
    History__OutboxMaxMb:
      'disk space for rows that wait while the history is unavailable; then reading pauses',
    History__KeepMonths:
      'months of single downloads that are kept, unless the dashboard says otherwise; `0`: all',
    POSTGRES_MODE: '`external` uses your own server',
    POSTGRES_HOST:
      'host of the external server, or several, `host:port` and commas: their primary is used',
    POSTGRES_PORT: 'its port',
    POSTGRES_READ_HOST:
      'streaming replica, `host` or `host:port`, that answers reports while it has all that the primary has',
    POSTGRES_DB: { is: 'its database', unset: '`larder`' },
    POSTGRES_USER: { is: 'its user', unset: '`larder`' },
    POSTGRES_PASSWORD: 'the password of that user',
    POSTGRES_SSLMODE:
      'TLS to the server: `prefer` takes what it offers, `verify-full` checks certificate and host name',
    POSTGRES_SSLROOTCERT: {
      is: 'PEM file of the authority that signed the certificate of the server',
      unset: "the system's authorities",
    },
    POSTGRES_SCHEMA:
      'schema that holds everything of this installation, so that several share a database',
    PUID: { is: 'user of the private Postgres when Larder runs as root', unset: '`nobody`' },
    PGID: { is: 'its group', unset: "the user's" },
  },
  Cache: {
    CacheIndex__RefreshMinutes: 'how often the cache is checked for changes; `0`: never',
    CacheSizeScan__IntervalHours: 'how often a size scan runs',
    CacheSnapshots__IntervalMinutes: 'how often the used size of the cache is recorded',
    CacheSnapshots__RetentionDays: 'how long these figures are kept',
    Doctor__ProxyAddress: {
      is: '`host` or `host:port` of the proxy through which the doctor fetches objects again',
      unset: 'found by its heartbeat',
    },
    DOCKER_HOST: {
      is: 'container engine: `unix:///path` or `tcp://host:port`',
      unset: '`/var/run/docker.sock`',
    },
    NginxLogRotation__ContainerName: { is: 'container of the proxy', unset: 'found' },
    NginxLogRotation__Enabled: 'tells the proxy to reopen its logs after changes',
    NginxLogRotation__ScheduleHours: 'tells the proxy to reopen its logs at this interval, too',
  },
  Prefill: {
    'Prefill__<Platform>__Transport': {
      is:
        'where the daemon comes from: `builtin` (a child process), `container`, or one that runs ' +
        'already: `tcp://host:port`, `unix:///path`',
      unset: '`builtin`',
    },
    'Prefill__<Platform>__Secret': 'secret of a daemon that runs already',
    'Prefill__<Platform>DockerImage': 'image of the daemon, for the transport `container`',
    Prefill__SessionTimeoutMinutes: 'life of a prefill session',
    Prefill__StallTimeoutSeconds: 'a run without a byte for so long fails',
    Prefill__AbandonedLoginTimeoutSeconds: 'a sign-in without activity for so long is cancelled',
    Prefill__LancacheIp: {
      is: '`host` or `host:port` of the cache, for prefills and the status check',
      unset: 'found',
    },
    Prefill__LancacheDnsIp: {
      is: 'DNS server of the network: `ip`, `ip:port` or `auto`',
      unset: "the cache's",
    },
    Prefill__NetworkMode: { is: 'network of prefill containers', unset: '`auto`' },
    Prefill__HostDataPath: {
      is: 'the data folder as the container engine sees it',
      unset: 'found',
    },
    Prefill__DaemonBasePath: {
      is: "folder of the daemons' sockets",
      unset: '`prefill` in the data folder',
    },
    Prefill__UseTcp: 'reaches prefill containers over TCP instead of a socket',
    Prefill__TcpPort: 'port inside the container',
    Prefill__HostTcpPort: { is: 'published port', unset: 'a free one' },
    Prefill__TcpHost: { is: 'host of the published port', unset: '`127.0.0.1`' },
  },
  'Names, status check and notifications': {
    Dns__Servers: "resolvers for host names of clients, asked before the system's",
    Dns__OnlyServers: 'asks only those: no system resolvers, no routers',
    StatusCheck__DomainsUrl:
      'where the list of cache domains is fetched, as the archive of a branch',
    StatusCheck__CloudflareDnsUrl: "DNS over HTTPS, for the platforms' own servers",
    StatusCheck__GoogleDnsUrl: 'the same from a second resolver',
    Notifications__TelegramBaseUrl: "another server of Telegram's bot API",
    Geo__Enabled: 'looks up where visitors are; sends their public addresses to `Geo__BaseUrl`',
    Geo__BaseUrl: 'service that knows where addresses are',
  },
  'Services of the platforms': {
    Alpha__WebApiBaseUrl: "Steam's Web API",
    Alpha__CmListBaseUrl: 'directory of the Steam servers for product information',
    Alpha__StoreBaseUrl: 'the Steam store, for names and header images',
    Alpha__DepotListUrl: {
      is: "list of Steam's depots and apps, in the form that `POST /api/depots/import` reads",
      unset: 'none: Steam itself is asked',
    },
    Alpha__PhoneWaitSeconds: 'how long a Steam sign-in waits for the confirmation on the phone',
    Images__AlphaBaseUrl: "images of games: Steam's folder of apps",
    Images__BetaBaseUrl: "host of Epic's images",
    Images__EpsilonBaseUrl: "host of Xbox's images",
    Beta__LoginBaseUrl: 'where the browser signs in to Epic Games',
    Beta__AccountBaseUrl: 'sign-in to Epic Games',
    Beta__LauncherBaseUrl: 'library of Epic Games',
    Beta__LibraryBaseUrl: 'time that games of Epic Games were played',
    Beta__CatalogBaseUrl: 'names of Epic Games',
    Beta__StoreBaseUrl: 'free games of Epic Games',
    Beta__ContentHosts: {
      is: 'content hosts of Epic Games that are tried first, with commas between',
      unset: 'hosts with a signed address first',
    },
    Beta__ClientId: {
      is: 'client with which Larder signs in to Epic Games',
      unset: "the launcher's public client",
    },
    Beta__ClientSecret: { is: 'its secret', unset: "that client's" },
    Gamma__VersionsBaseUrl: "Battle.net's version service, for another region",
    Delta__PatchlineBaseUrl: "Riot Games' service for versions",
    Delta__SieveBaseUrl: 'Riot Games: releases of League of Legends',
    Epsilon__LoginBaseUrl: 'Xbox: sign-in of the account',
    Epsilon__UserAuthBaseUrl: 'Xbox: sign-in of the user',
    Epsilon__DeviceAuthBaseUrl: 'Xbox: sign-in of the device',
    Epsilon__XstsBaseUrl: 'Xbox: token for the services below',
    Epsilon__ProfileBaseUrl: 'Xbox: gamertag',
    Epsilon__TitleHubBaseUrl: 'Xbox: titles',
    Epsilon__CatalogBaseUrl: 'Xbox: content ids',
    Epsilon__PackagesBaseUrl: 'Xbox: package files',
    Epsilon__StoreBaseUrl: 'Xbox: popular games',
  },
  'A prefill daemon by itself': {
    PREFILL_SOCKET_PATH: { is: 'unix socket', unset: '`daemon.sock` in the folder below' },
    PREFILL_RESPONSES_DIR: { is: 'folder of the socket', unset: '`/responses`' },
    PREFILL_SOCKET_MODE: { is: 'mode of the socket', unset: '`600`' },
    PREFILL_TCP_PORT: 'listens on TCP instead; `0`: on the socket',
    PREFILL_TCP_HOST: { is: 'address to listen on', unset: '`0.0.0.0`' },
    PREFILL_SOCKET_SECRET: 'what clients must know; required with TCP, except on loopback',
    PREFILL_CONFIG_DIR: {
      is: 'selection and sign-in',
      unset: '`prefill` in the data folder',
    },
    PREFILL_VERSIONS_DIR: {
      is: 'downloaded versions; daemons of a platform may share it',
      unset: 'the folder above',
    },
    PREFILL_CACHE_DIR: { is: 'disposable files', unset: '`cache` in `PREFILL_CONFIG_DIR`' },
    PREFILL_MAX_LIFETIME_SECONDS: 'the process ends after this time; `0`: never',
    PREFILL_BANDWIDTH_LIMIT: 'bytes per second of all downloads together',
    LANCACHE_IP: {
      is: '`host` or `host:port` of the cache; it must answer with its heartbeat',
      unset: 'found by its heartbeat',
    },
    PREFILL_ALLOW_PUBLIC_CACHE: 'allows a public address in `LANCACHE_IP`',
    PREFILL_PRACTICE_ORIGIN: 'for tests: invented content from there instead of the platform',
  },
} as const satisfies Record<string, Record<string, Meaning>>

type Sections = typeof environmentVariables
type NameIn<Section> = Section extends unknown ? keyof Section & string : never

type Filled<Name extends string> = Name extends `${infer Start}<n>${infer End}`
  ? `${Start}${number}${End}`
  : Name extends `${infer Start}<Platform>${infer End}`
    ? `${Start}${PlatformName}${End}`
    : Name

/** Names as they stand in the environment: a number for `<n>`, a platform for `<Platform>`. */
export type VariableName = Filled<NameIn<Sections[keyof Sections]>>
