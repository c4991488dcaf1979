import { Type, type Static } from '@sinclair/typebox'
import { Flag, LargeInt, Model, Nullable, Num, Text, Utc } from '../../core/http/schema.ts'
import { stringUnion } from '../../core/http/string-union.ts'
import { ScheduledService } from './stored.ts'
import { platforms } from '../../platforms/platforms.ts'
import { ServiceBody } from './model.ts'
import { outcomeTexts, type OutcomeKey } from './outcomes.ts'

/** Of one platform, with its first one. */
export const schedulesMax = 20
export const scheduleNameMax = 60

const outcomeKeys = Object.keys(outcomeTexts) as OutcomeKey[]
const stages = ['skipped', 'needs-login', 'completed', 'failed', 'cancelled'] as const

/** How a run of a schedule ended. */
export const LastResult = Model('PrefillScheduleResult', {
  stage: stringUnion(stages),
  message: Type.String({ description: 'Why, in English' }),
  messageKey: Nullable(stringUnion(outcomeKeys), 'Of the message; null for a text of the daemon'),
  messageValues: Type.Record(Text, Type.Union([Text, Num])),
  bytesDownloaded: LargeInt,
  endedAtUtc: Utc,
})
export type LastResult = Static<typeof LastResult>

const ofPlatform = ['serviceId', 'showNotification', 'persistenceMode'] as const

/** One of several schedules of a platform. */
export const NamedSchedule = Model('PrefillSchedule', {
  id: Text,
  platform: stringUnion(platforms),
  name: Text,
  isFirst: Type.Boolean({
    description: 'The schedule of the configuration, which cannot be deleted',
  }),
  ...Type.Omit(ScheduledService, ofPlatform).properties,
  isRunning: Flag,
  isQueued: Type.Boolean({ description: 'Started by hand; waits until another run has ended' }),
  operationId: Nullable(Text, 'Of the run'),
  lastRunUtc: Nullable(Utc),
  nextRunUtc: Nullable(Utc),
  lastResult: Nullable(LastResult),
})
export type NamedSchedule = Static<typeof NamedSchedule>

/** What a schedule would download, as far as earlier downloads tell. */
export const ScheduleEstimate = Model('PrefillEstimate', {
  games: Type.Integer({ description: 'Games that were downloaded before' }),
  bytes: Nullable(LargeInt),
  seconds: Nullable(Num, 'At the speed of those downloads'),
})
export type ScheduleEstimate = Static<typeof ScheduleEstimate>

const content = {
  name: Type.String({ minLength: 1, maxLength: scheduleNameMax }),
  ...Type.Omit(ServiceBody, ofPlatform).properties,
}

export const ChangedScheduleBody = Type.Object(content)
export type ChangedScheduleBody = Static<typeof ChangedScheduleBody>

export const NewScheduleBody = Type.Object({ platform: stringUnion(platforms), ...content })
export type NewScheduleBody = Static<typeof NewScheduleBody>
