/** Roots of the query keys; what the hub makes old is named here and nowhere else. */
const batch = ['batch'] as const
const clients = ['clients'] as const
const games = ['games'] as const
const before = ['before'] as const

export const keys = {
  status: ['status'],
  setup: ['setup'],
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
  clientGroups: ['clientGroups'],
  exclusions: ['exclusions'],
  hostnames: ['hostnames'],
  downloads: ['downloads'],
  download: ['download'],
  events: ['events'],
  views: ['views'],
  forecast: ['forecast'],
  /** What lies on the disk: sizes, games, what is gone. */
  cache: ['cache'],
  batch,
  before,
  clients,
  games,
  /** Grow with every stored download. The long list is not among them: it must not jump. */
  reports: [batch, clients, games, ['download']],
} as const
