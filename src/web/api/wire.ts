/** Response types used by several pages, derived from the routes. */
import type { api } from './client.ts'
import type { readBatch } from './batch.ts'

export type { GameSpeed } from '../../engines/logs/wire.ts'

/** Body of a successful call of the typed client. */
type AnswerOf<Call extends (...options: never) => Promise<{ data: unknown }>> = NonNullable<
  Awaited<ReturnType<Call>>['data']
>

export type AuthStatus = AnswerOf<typeof api.auth.status.get>
export type SystemConfig = AnswerOf<typeof api.system.config.get>
export type ServiceStatus = AnswerOf<typeof api.ext.status.get>
export type SetupChecklist = AnswerOf<typeof api.ext.setup.checklist.get>
export type SetupCheck = SetupChecklist['checks'][number]
export type Mismatch = NonNullable<ServiceStatus['ingest']['mismatch']>
export type CacheInfo = AnswerOf<typeof api.cache.get>
export type ClientStats = AnswerOf<typeof api.stats.clients.get>[number]
export type OperationsOverview = AnswerOf<typeof api.ext.operations.get>
export type Operation = OperationsOverview['running'][number]
/** A queued job, with the job it waits for. */
export type ParkedOperation = OperationsOverview['waiting'][number]
/** Filters of the downloads list; undefined ones are left out of the URL. */
export type DownloadsQuery = NonNullable<
  NonNullable<Parameters<typeof api.downloads.retro.get>[0]>['query']
>
export type DownloadRow = AnswerOf<typeof api.downloads.retro.get>['items'][number]
export type DownloadDetail = AnswerOf<ReturnType<typeof api.downloads>['get']>
export type Download = DownloadDetail['download']

type BatchAnswer = AnswerOf<typeof api.dashboard.batch.get>
export type ServiceStats = BatchAnswer['services']['items'][number]
export type Sparklines = BatchAnswer['sparklines']
export type HourlyActivity = BatchAnswer['hourlyActivity']
/** The sections of the overview; null where one could not be computed. */
export type Batch = Partial<ReturnType<typeof readBatch>>
