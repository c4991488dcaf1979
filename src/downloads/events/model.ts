import { Type, type Static } from '@sinclair/typebox'
import { LargeInt, Model, Nullable, Num, Text } from '../../core/http/schema.ts'
import { EventTag } from '../downloads/model.ts'

export { CalendarEvent } from '../../core/live/models.ts'

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

export const DownloadIds = Type.Object({
  downloadIds: Type.Optional(Nullable(Type.Array(LargeInt))),
})

export const TagsByDownload = Type.Record(Text, Type.Object({ events: Type.Array(EventTag) }))
