import { Type } from '@sinclair/typebox'
import { Bytes, Flag, Model, Nullable, stringUnion, Text } from '../core/lib/schema.ts'
import { accounts, type EventRule } from '../core/live/events.ts'
import { jobMembers } from '../core/operations/events.ts'
import type { HubDocument } from '../core/http/documents/asyncapi.ts'
import { platformCalls, platformPayloads, type PlatformEvent } from './hubs/payloads.ts'
import {
  platformFacts,
  platforms,
  type Platform,
  type PlatformFacts,
} from '../platforms/platforms.ts'

type PlatformPrefix = PlatformFacts['eventPrefix']
/** An event of prefill under the name that a platform gives it. */
export const platformEvent = <E extends string>(
  platform: Platform,
  event: E,
): `${PlatformPrefix}${E}` => `${platformFacts[platform].eventPrefix}${event}`

// Every payload has a name of the list.
const eventsOfPlatform = Object.keys(platformPayloads) as PlatformEvent[]

type PlatformEvents = {
  [E in PlatformEvent as `${PlatformPrefix}${E}`]: EventRule<(typeof platformPayloads)[E]>
}
// The keys are those of the type, one by one.
const platformEvents = Object.fromEntries(
  platforms.flatMap((platform) =>
    eventsOfPlatform.map((event) => [
      platformEvent(platform, event),
      accounts(platformPayloads[event]),
    ]),
  ),
) as PlatformEvents

const scheduled = {
  serviceCount: Type.Integer({ description: 'Schedules of this run' }),
  scheduleId: Type.Optional(Type.String({ description: 'Of a run of one schedule' })),
  scheduleName: Type.Optional(Text),
  showNotification: Flag,
}
const scheduledStep = {
  serviceId: Text,
  stage: stringUnion([
    'starting',
    'running',
    'completed',
    'failed',
    'cancelled',
    'skipped',
    'needs-login',
  ]),
  message: Text,
  messageKey: Nullable(
    Text,
    'Of the message of an outcome; null on the way, and for a text of the daemon',
  ),
  messageValues: Type.Record(Text, Type.Union([Text, Type.Number()])),
  needsLoginReason: Nullable(Text),
  bytesDownloaded: Bytes,
  totalBytes: Bytes,
  downloadSessionId: Nullable(Text),
}

/** Events of this group. */
export const prefillEvents = {
  ScheduledPrefillStarted: accounts(
    Model('ScheduledPrefillStarted', {
      ...jobMembers.Started,
      ...scheduled,
    }),
  ),
  ScheduledPrefillProgress: accounts(
    Model('ScheduledPrefillProgress', {
      ...jobMembers.Progress,
      ...scheduledStep,
      ...scheduled,
      scheduleId: Text,
      scheduleName: Text,
    }),
  ),
  ScheduledPrefillCompleted: accounts(
    Model('ScheduledPrefillCompleted', {
      ...jobMembers.Complete,
      ...scheduled,
    }),
  ),
  PrefillAccountsUpdated: accounts(
    Model('PrefillAccountsUpdated', { platform: stringUnion(platforms) }),
  ),
  PrefillReadyChanged: accounts(
    Type.Object({
      isWanted: Type.Boolean({ description: 'The games of the readiness board are being fetched' }),
    }),
    { isLatestOnly: true },
  ),
  SessionSubscribed: accounts(platformPayloads.DaemonSessionCreated),
  ...platformEvents,
}

/** The hub of every platform, with its share of the events. */
export const hubDocuments: readonly HubDocument[] = platforms.map((platform) => ({
  name: `prefill-${platform}`,
  address: platformFacts[platform].hubPath,
  title: `Prefill on ${platformFacts[platform].title}`,
  events: [
    'SessionSubscribed',
    ...eventsOfPlatform
      .filter((event) => event !== 'PrefillHistoryUpdated')
      .map((event) => platformEvent(platform, event)),
  ],
  calls: platformCalls,
}))

const inCode = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(', ')

/** What the API document says about these hubs. */
export const hubsGuide = `## Hubs of prefill

Every platform has a WebSocket of its own: ${inCode(hubDocuments.map(({ address }) => address))}.
It is open to account holders and to guests who may prefill there. It sends the same kind of
frames, with the prefill events of its platform. A session is created and steered by calls
\`{"id": 1, "method": "<name>", "args": […]}\`, which are answered by \`{"id": 1, "result": …}\` or
\`{"id": 1, "error": {"message": "…"}}\`. The methods: ${inCode(Object.keys(platformCalls))}.
Except for the first two, the first argument is the id of a session. \`SubscribeToSessionAsync\`
makes the connection follow a session: its progress, and the end of it. Questions of a sign-in
reach only the session's user. The documents of the events have a channel for every hub.
`
