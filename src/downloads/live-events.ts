import { Type } from '@sinclair/typebox'
import { Bytes, Flag, Int, Model, Nullable, Percent, Text, Utc } from '../core/lib/schema.ts'
import { accounts, Cleared, everyone, lessForGuests, membersOf } from '../core/live/events.ts'
import { jobEvents } from '../core/operations/events.ts'
import { CalendarEvent } from './events/model.ts'

const speed = Type.Number({ description: 'Bytes per second' })

const traffic = { totalBytes: Bytes, cacheHitBytes: Bytes, cacheMissBytes: Bytes }

const speeds = Model('SpeedSnapshot', {
  timestampUtc: Utc,
  totalBytesPerSecond: speed,
  gameSpeeds: Type.Array(
    Type.Object({
      depotId: Int,
      gameName: Nullable(Text),
      gameAppId: Nullable(Int),
      betaAppId: Nullable(Text),
      service: Text,
      clientIp: Text,
      bytesPerSecond: speed,
      ...traffic,
      requestCount: Int,
      cacheHitPercent: Percent,
      isEvicted: Flag,
    }),
  ),
  clientSpeeds: Type.Array(
    Type.Object({ clientIp: Text, bytesPerSecond: speed, ...traffic, activeGames: Int }),
  ),
  windowSeconds: Int,
  entriesInWindow: Int,
  hasActiveDownloads: Flag,
})

/** Guests get only the reason to reload; counts and run ids are for account holders. */
function refreshForGuests(data: unknown): unknown {
  const { reason, source } = membersOf(data)
  if (reason !== undefined) return { reason }
  return source === undefined ? null : { source }
}

const withoutMessage = (data: unknown): unknown => ({ ...membersOf(data), message: null })

/** Events of this group. */
export const downloadsEvents = {
  ...jobEvents('LogProcessing', 'LogRemoval'),
  DownloadSpeedUpdate: everyone(speeds, { isLatestOnly: true }),
  DownloadsRefresh: everyone(
    Nullable(
      Type.Object({
        reason: Type.Optional(Text),
        source: Type.Optional(Text),
        taggedCount: Type.Optional(Int),
        timestamp: Type.Optional(Utc),
      }),
    ),
    { seenBy: lessForGuests(refreshForGuests) },
  ),
  HistoryStatusChanged: everyone(Type.Object({ state: Text, message: Nullable(Text) }), {
    seenBy: lessForGuests(withoutMessage),
  }),
  EventCreated: everyone(CalendarEvent),
  EventUpdated: everyone(CalendarEvent),
  EventDeleted: everyone(Type.Integer({ description: 'Id of the event' })),
  EventsCleared: everyone(Cleared),
  DownloadTagged: everyone(Type.Object({ eventId: Int, downloadId: Int })),
  ServiceCountsChanged: accounts(Type.Null()),
}
