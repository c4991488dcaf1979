/** Roots of the query keys. */
const batch = ['batch'] as const
const clients = ['clients'] as const
const games = ['games'] as const
const before = ['before'] as const

export const keys = {
  status: ['status'],
  setup: ['setup'],
  checklist: ['checklist'],
  config: ['config'],
  service: ['service'],
  operations: ['operations'],
  accounts: ['accounts'],
  sessions: ['sessions'],
  audit: ['audit'],
  preferences: ['preferences'],
  guests: ['guests'],
  systemRate: ['systemRate'],
  themes: ['themes'],
  themeFiles: ['themeFiles'],
  alphaKey: ['alphaKey'],
  alphaAuth: ['alphaAuth'],
  depots: ['depots'],
  betaMappings: ['betaMappings'],
  epsilonMappings: ['epsilonMappings'],
  schedules: ['schedules'],
  statusCheck: ['statusCheck'],
  metrics: ['metrics'],
  notifications: ['notifications'],
  widgetTokens: ['widgetTokens'],
  mqtt: ['mqtt'],
  ownLog: ['ownLog'],
  backups: ['backups'],
  database: ['database'],
  clientGroups: ['clientGroups'],
  exclusions: ['exclusions'],
  devices: ['devices'],
  hostnames: ['hostnames'],
  images: ['images'],
  downloads: ['downloads'],
  download: ['download'],
  /** What is read once: the log, and speeds to compare with. */
  downloadLog: ['downloadLog'],
  events: ['events'],
  prefill: ['prefill'],
  views: ['views'],
  savings: ['savings'],
  forecast: ['forecast'],
  /** Contents of the cache: sizes, games, evictions. */
  cache: ['cache'],
  batch,
  before,
  clients,
  games,
  /** Reports that change with every stored download. The downloads list is excluded: it must not jump. */
  reports: [batch, clients, games, ['download']],
} as const
