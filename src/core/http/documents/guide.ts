import { keyedByPlatform } from '../../../platforms/platforms.ts'
import { shareHeader } from '../../lib/share-pages.ts'
import { closeCodes, connectionLimits, framesPerSecond, socketOptions } from '../../live/limits.ts'
import type { Policy } from '../access.ts'
import { antiforgeryHeader } from '../antiforgery.ts'
import { antiforgeryCookie, sessionCookie } from '../cookies.ts'
import { jsonBytesMax } from '../request-body.ts'

const forPrefill = (platform: string) =>
  `For account holders, and for guests who may prefill on ${platform}.`

/** Who may call an operation, in words. */
export const policyTexts: Readonly<Record<Policy, string>> = {
  public: 'For everyone, without signing in.',
  session: 'For every session, guests included.',
  account: 'For account holders (roles admin and user).',
  admin: 'For administrators.',
  owner: 'For the owner of the installation.',
  link: `For share links, whose token is sent in \`${shareHeader}\`.`,
  ...keyedByPlatform((platform) => `prefill:${platform}` as const, forPrefill),
  'prefill:any': forPrefill('any platform'),
}

const bodyKb = jsonBytesMax / 1024
const frameKb = socketOptions.maxPayloadLength / 1024
const { sessionOver, tooMany, tooSlow, goingAway } = closeCodes
const header = antiforgeryHeader
const cookie = antiforgeryCookie

/** The page in front of the operations. */
export const guide = `Monitoring and management of a local-network caching proxy for game content.

## Signing in

Calls are made in a session, which a cookie stands for. \`GET /api/auth/status\` says whether the
caller has one. A client without a browser:

1. \`GET /api/auth/status\`, and keep the cookie \`${cookie}\`;
2. \`POST /api/auth/login\` with installation key, user name and password, and with the value of
   that cookie in the header \`${header}\`; keep the cookie \`${sessionCookie}\`;
3. \`GET /api/auth/status\` again: the antiforgery value belongs to its session.

\`POST /api/auth/guest\` starts a guest session instead, where guests are allowed. Where
authentication is switched off, every caller is an administrator and no antiforgery value is
needed. The installation key alone (header \`X-Api-Key\`) opens these documents and, where it is
asked for, \`/metrics\`; operations that need a session answer 401 to it.

## Antiforgery

Every \`POST\`, \`PUT\`, \`PATCH\` and \`DELETE\` needs the value of the cookie
\`${cookie}\` in the header \`${header}\`, unless the operation
documents neither the scheme \`antiforgery\` nor the parameter; where the parameter is optional, only
in a session. Without it the answer is 400 with
the stage key \`errors.antiforgery.rejected\`.

## Requests and errors

Bodies are JSON of at most ${bodyKb} KB with \`Content-Type: application/json\`, unless the operation
says otherwise. Members that are not documented are refused; names and enum values are compared
without regard to case. A refusal has the body \`{"error": "…"}\`, often with a \`stageKey\` for
translation; a request that does not have the documented form gets \`application/problem+json\`
with every fault by its field. A path that matches no operation is answered with the dashboard
where it is read, and with 404 or 405 otherwise. A head of more than 16 KiB is answered with 431, and
a body beyond every limit with 413, both without a body.

Members that may be null are always present. Timestamps are ISO 8601 in UTC; times in parameters
are Unix seconds; sizes are bytes; percentages run from 0 to 100, ratios from 0 to 1.

## Live events

A WebSocket at \`/hubs/downloads\`, opened with the session cookie, sends one JSON object per
frame: \`{"event": "<name>", "data": …}\`. The first event is \`Welcome\`. A client may send
\`{"type": "ping"}\`, which \`Pong\` answers; frames of more than ${frameKb} KB close the socket.
Guests receive the events meant for everyone, some of them reduced; one guest session may hold
${connectionLimits.perSession} sockets. The socket is closed with ${sessionOver} when its session ends,
with ${tooSlow} when the client reads too slowly, with ${tooMany} when it keeps sending more than
${framesPerSecond} frames a second, and with ${goingAway} when the service stops.
After an interruption reconnect and read the state again: events are not repeated.
\`/openapi/events.json\` lists every event with its payload, as an AsyncAPI document.
`
