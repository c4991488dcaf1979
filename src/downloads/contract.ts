/** What other groups may use of the downloads: reports and their scopes, the access logs. */

export { Download } from './downloads/model.ts'
export { dashboardDownloadsMax, type Downloads } from './downloads/service.ts'
export type { CalendarEvent } from './events/model.ts'
export { eventBefore, findEvent } from './events/store.ts'
export type { Summary } from './games/summary.ts'
export { gameIdColumn, gameServiceColumn, sumsByGame, type GameGroupSums } from './games/store.ts'
export { everything, focusHours } from './reports/focus.ts'
export { gameIdOf } from './reports/games.ts'
export { foldedService, ratio, utc } from './reports/numbers.ts'
export {
  allTime,
  grainSeconds,
  grainSpans,
  hourBlockSeconds,
  type Period,
} from './reports/range.ts'
export type { Reports } from './reports/reports.ts'
export {
  coarsestFor,
  filledBuckets,
  finestMinutes,
  suitableMinutes,
  widerBuckets,
} from './reports/series.ts'
export { periodOf, type Scope, scopeOf, scopeQuery } from './reports/scope.ts'
export {
  clientRule,
  clientSums,
  type HourOfDaySums,
  hourSums,
  prefillRule,
  serviceSums,
  trafficRows,
  within,
} from './reports/traffic.ts'
export { changedBlocks, hasWholeHours } from './reports/whole-hours.ts'
export type { SpeedSample } from './speeds/model.ts'
export { ClientStats, DashboardStats, ServiceStats } from './stats/model.ts'
export { emptyDashboard, foldServices, type Stats } from './stats/service.ts'
