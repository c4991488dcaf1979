import { Type, type Static } from '@sinclair/typebox'
import {
  Flag,
  Int,
  LargeInt,
  Model,
  Nullable,
  Num,
  QueryFlag,
  Text,
  Utc,
} from '../../core/http/schema.ts'
import { EventTag } from '../downloads/model.ts'

const EventDownload = Model('EventDownload', {
  id: Int,
  eventId: Int,
  downloadId: Int,
  taggedAtUtc: Utc,
  autoTagged: Flag,
})

export const CalendarEvent = Model('Event', {
  id: Int,
  name: Text,
  description: Nullable(Text),
  startTimeUtc: Utc,
  endTimeUtc: Utc,
  /** As entered by the creator; never used for calculation. */
  startTimeLocal: Text,
  endTimeLocal: Text,
  colorIndex: Int,
  createdAtUtc: Utc,
  updatedAtUtc: Nullable(Utc),
  /** Always empty; see `/api/events/{id}/downloads`. */
  eventDownloads: Type.Array(EventDownload),
})
export type CalendarEvent = Static<typeof CalendarEvent>

const optionalText = Type.Optional(Nullable(Text))
// The service's rules refuse other than whole numbers and name the field.
const optionalNumber = Type.Optional(Nullable(Num))
const unixTime = Type.Optional(Nullable(Type.Number({ description: 'Unix time in seconds' })))

export const EventBody = Model('EventInput', {
  name: optionalText,
  description: optionalText,
  startTime: unixTime,
  endTime: unixTime,
  startTimeLocal: optionalText,
  endTimeLocal: optionalText,
  colorIndex: optionalNumber,
})
export type EventBody = Static<typeof EventBody>

export const EventDownloadsQuery = Type.Object({
  taggedOnly: QueryFlag,
  includePrefill: QueryFlag,
  showZeroBytes: QueryFlag,
})
export type EventDownloadsQuery = Static<typeof EventDownloadsQuery>

export const DownloadIds = Type.Object({
  downloadIds: Type.Optional(Nullable(Type.Array(LargeInt))),
})

export const TagsByDownload = Type.Record(Text, Type.Object({ events: Type.Array(EventTag) }))
