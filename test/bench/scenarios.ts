const day = 86_400

export interface ReadScenario {
  /** The operation of the contract, or of the extensions. */
  operation: string
  what: string
  path: (facts: Facts) => string
}

/** What paths are made of. */
export interface Facts {
  now: number
  eventIds: number[]
}

const range =
  (from: number, until = 0, names = ['startTime', 'endTime']) =>
  ({ now }: Facts) =>
    `${names[0]}=${now - from * day + 77}&${names[1]}=${now - until * day}`

const year = range(365)
const month = range(30)
const retroYear = range(365, 0, ['StartTime', 'EndTime'])
const retroMonth = range(30, 0, ['StartTime', 'EndTime'])

const read = (operation: string, what: string, path: ReadScenario['path']): ReadScenario => ({
  operation: `GET ${operation}`,
  what,
  path,
})

/** The same operation with several queries. */
const reads = (operation: string, views: Record<string, string | ReadScenario['path']>) =>
  Object.entries(views).map(([what, query]) =>
    read(operation, what, (facts) => {
      const text = typeof query === 'string' ? query : query(facts)
      return text === '' ? operation : `${operation}?${text}`
    }),
  )

const retro = reads('/api/downloads/retro', {
  'all, first page': '',
  'all, page 100': 'Page=100',
  'all, page 9000': 'Page=9000',
  'all, last page': 'Page=100000',
  'all, largest, page 5000': 'Page=5000&Sort=largest',
  'all, smallest, page 5000': 'Page=5000&Sort=smallest',
  'all, oldest, page 5000': 'Page=5000&Sort=oldest',
  'all, best cached, page 5000': 'Page=5000&Sort=efficiency',
  'all, alphabetical, page 5000': 'Page=5000&Sort=alphabetical',
  'all, by service, page 5000': 'Page=5000&Sort=service',
  'all, sessions': 'Sort=sessions',
  games: 'GroupByGame=true',
  'games, page 3': 'GroupByGame=true&Page=3',
  services: 'GroupByService=true',
  'of a client': 'Client=10.0.0.12',
  'of a client, page 500': 'Client=10.0.0.12&Page=500',
  'of a service': 'Service=steam',
  'of a service, page 2000': 'Service=wsus&Page=2000',
  'of a game': 'Game=steam:1000',
  'of a game without depots, page 50': 'Game=wsus:unknown&Page=50',
  'a search': 'Search=game%205',
  'a search, page 100': 'Search=game%205&Page=100',
  'a search that finds nothing': 'Search=nothing%20at%20all',
  'a search for a client': 'Search=10.0.0.12',
  'a search for a service': 'Search=riot',
  'without unknown ones': 'HideUnknown=true',
  'mostly missed': 'HitMiss=miss',
  'mostly missed, page 2000': 'HitMiss=miss&Page=2000',
  'a year': retroYear,
  'a year, page 100': (facts) => `${retroYear(facts)}&Page=100`,
  'a year, page 5000': (facts) => `${retroYear(facts)}&Page=5000`,
  'a year, page 9000': (facts) => `${retroYear(facts)}&Page=9000`,
  'a year, largest, page 5000': (facts) => `${retroYear(facts)}&Page=5000&Sort=largest`,
  'a year, oldest, page 5000': (facts) => `${retroYear(facts)}&Page=5000&Sort=oldest`,
  'a year, best cached, page 5000': (facts) => `${retroYear(facts)}&Page=5000&Sort=efficiency`,
  'a year, games': (facts) => `${retroYear(facts)}&GroupByGame=true`,
  'a year, services': (facts) => `${retroYear(facts)}&GroupByService=true`,
  'a month, page 500': (facts) => `${retroMonth(facts)}&Page=500`,
  'a month, games': (facts) => `${retroMonth(facts)}&GroupByGame=true`,
  'an event': ({ eventIds }) => `EventId=${eventIds[0]}`,
  'an event, games': ({ eventIds }) => `EventId=${eventIds[0]}&GroupByGame=true`,
})

const ranges = {
  all: '',
  'a year': year,
  'a month': month,
  'a day': range(1),
  'a year that is over': range(1500, 1135),
}
const event = ({ eventIds }: Facts) => `eventId=${eventIds[0]}`

/** Every read of both groups, with the questions that cost most. */
export const scenarios: readonly ReadScenario[] = [
  ...reads('/api/dashboard/batch', { ...ranges, 'an event': event }),
  ...reads('/api/stats/dashboard', { ...ranges, 'an event': event }),
  ...reads('/api/stats/services', { ...ranges, 'an event': event, 'a week': 'since=7d' }),
  ...reads('/api/stats/clients', {
    ...ranges,
    'an event': event,
    all_clients: 'includeExcluded=true',
  }),
  ...reads('/api/stats/exclusions', { all: '' }),
  ...reads('/api/stats/eviction', { all: '' }),
  ...reads('/api/stats/eviction/scan/status', { now: '' }),
  ...reads('/api/stats/cache-snapshot', { 'a year': year, 'a month': month }),
  ...retro,
  ...reads('/api/downloads/with-associations', {
    newest: '',
    'a thousand': 'count=1000',
    'a thousand of a year': (facts) => `count=1000&${year(facts)}`,
  }),
  read('/api/downloads/{id}', 'one', () => '/api/downloads/500000'),
  ...reads('/api/events', { all: '' }),
  ...reads('/api/events/active', { all: '' }),
  ...reads('/api/events/calendar', { 'a year': range(365, 0, ['start', 'end']) }),
  read('/api/events/{id}', 'one', ({ eventIds }) => `/api/events/${eventIds[0]}`),
  read(
    '/api/events/{id}/downloads',
    'tagged',
    ({ eventIds }) => `/api/events/${eventIds[0]}/downloads?taggedOnly=true`,
  ),
  read(
    '/api/events/{id}/downloads',
    'by time',
    ({ eventIds }) => `/api/events/${eventIds[0]}/downloads`,
  ),
  ...reads('/api/Speeds/current', { now: '' }),
  ...reads('/api/Speeds/history', { 'an hour': '', 'a day': 'minutes=1440' }),
  ...reads('/api/logs', { all: '' }),
  ...reads('/api/logs/positions', { all: '' }),
  ...reads('/api/logs/process/status', { all: '' }),
  ...reads('/api/logs/remove/status', { all: '' }),
  ...reads('/api/logs/service-counts', { all: '' }),
  ...reads('/api/logs/service-counts/by-datasource', { all: '' }),
  ...reads('/api/client-groups', { all: '' }),
  read('/api/client-groups/{id}', 'one', () => '/api/client-groups/1'),
  ...reads('/api/client-groups/mapping', { all: '' }),
  ...reads('/api/clients/hostnames', { 'switched off': '' }),
  read('/api/ext/games/{service}/{id}', 'one', () => '/api/ext/games/steam/1000'),
  read('/api/ext/games/{service}/{id}', 'nobody could name', () => '/api/ext/games/wsus/unknown'),
  read('/api/ext/games/{service}/{id}/traffic', 'all', () => '/api/ext/games/steam/1000/traffic'),
  read(
    '/api/ext/games/{service}/{id}/traffic',
    'nobody could name, a year',
    (facts) => `/api/ext/games/wsus/unknown/traffic?${year(facts)}`,
  ),
  read(
    '/api/ext/games/{service}/{id}/traffic',
    'a month, three hours',
    (facts) => `/api/ext/games/steam/1000/traffic?${month(facts)}&bucketMinutes=180`,
  ),
  ...reads('/api/ext/clients/lines', ranges),
  read('/api/ext/clients/{ip}', 'one', () => '/api/ext/clients/10.0.0.12'),
  read('/api/ext/clients/{ip}/traffic', 'all', () => '/api/ext/clients/10.0.0.12/traffic'),
  read(
    '/api/ext/clients/{ip}/traffic',
    'a year',
    (facts) => `/api/ext/clients/10.0.0.12/traffic?${year(facts)}`,
  ),
  read('/api/ext/services/{service}', 'one', () => '/api/ext/services/steam'),
  read('/api/ext/services/{service}', 'folded', () => '/api/ext/services/xbox'),
  read('/api/ext/services/{service}/traffic', 'all', () => '/api/ext/services/steam/traffic'),
  read(
    '/api/ext/events/{id}/report',
    'one',
    ({ eventIds }) => `/api/ext/events/${eventIds[0]}/report`,
  ),
  ...reads('/api/ext/data-cap', { all: '' }),
  ...reads('/api/ext/downloads/summary', { all: '', 'a year': retroYear }),
  read(
    '/api/ext/events/compare',
    'two events',
    ({ eventIds }) => `/api/ext/events/compare?ids=${eventIds.join(',')}`,
  ),
]
