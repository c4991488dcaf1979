import { Type, type Static } from '@sinclair/typebox'
import { Flag, Int, Model, Nullable, Num, Text, Utc } from '../../core/http/schema.ts'
import { perPlatform, scheduledOrder } from '../../platforms/platforms.ts'
import { CacheName, PersistenceMode, ScheduledService } from './stored.ts'
import { AppIds } from '../sessions/model.ts'
import { stringUnion } from '../../core/lib/schema.ts'

const CustomSchedule = Type.Object({
  expression: Type.String({ maxLength: 200 }),
  timeZoneId: Type.String({ maxLength: 100 }),
  windowStart: Type.Optional(Nullable(Type.String({ maxLength: 5 }))),
  windowEnd: Type.Optional(Nullable(Type.String({ maxLength: 5 }))),
})

const { notificationMode, preset, operatingSystems } = ScheduledService.properties

export const ServiceBody = Type.Object({
  serviceId: Type.Optional(Type.Union([Type.String({ maxLength: 20 }), Int])),
  enabled: Flag,
  showNotification: Type.Optional(Flag),
  notificationMode,
  intervalHours: Num,
  preset,
  topCount: Type.Optional(Nullable(Int)),
  selectedAppIds: Type.Optional(AppIds),
  operatingSystems: Type.Optional(operatingSystems),
  force: Type.Optional(Flag),
  maxConcurrency: Type.Optional(
    Type.Object({
      mode: stringUnion(['Auto', 'Fixed']),
      value: Type.Optional(Nullable(Int)),
    }),
  ),
  persistenceMode: Type.Optional(Nullable(PersistenceMode)),
  customSchedule: Type.Optional(Nullable(CustomSchedule)),
  cache: Type.Optional(CacheName),
})
export type ServiceBody = Static<typeof ServiceBody>

export const ConfigBody = Type.Object({
  version: Int,
  maxServiceRuntime: Type.String({ maxLength: 30 }),
  stallTimeout: Type.String({ maxLength: 30 }),
  persistenceMode: Type.Optional(Nullable(PersistenceMode)),
  ...perPlatform(() => ServiceBody, scheduledOrder),
})
export type ConfigBody = Static<typeof ConfigBody>

export const Config = Model('ScheduledPrefillConfig', {
  version: Int,
  maxServiceRuntime: Text,
  stallTimeout: Text,
  ...perPlatform(() => ScheduledService, scheduledOrder),
  persistenceMode: PersistenceMode,
})

/** Which schedule a run belongs to. */
const RunningSchedule = Model('RunningPrefillSchedule', {
  scheduleId: Text,
  scheduleName: Text,
  serviceId: Text,
})

export const RunStatus = Model('ScheduledPrefillRunStatus', {
  isRunning: Flag,
  operationId: Nullable(Text),
  showNotification: Flag,
  current: Nullable(RunningSchedule, 'The schedule whose turn it is; null between two schedules'),
})
export type RunStatus = Static<typeof RunStatus>

export const ServicePlan = Model('ScheduledPrefillService', {
  serviceId: Text,
  intervalHours: Num,
  enabled: Flag,
  lastRunUtc: Nullable(Utc),
  nextRunUtc: Nullable(Utc),
  customSchedule: Nullable(CustomSchedule),
})
export type ServicePlan = Static<typeof ServicePlan>
