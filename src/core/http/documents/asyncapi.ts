import { eventRules, jobEndingOf, type EventRule } from '../../live/events.ts'
import { eventPayloads, jobPayloads } from '../../live/payloads.ts'
import { securitySchemes } from './openapi.ts'
import { SchemaWriter, type JsonSchema } from './schemas.ts'
import { memberTexts } from './texts.ts'

const payloads: Readonly<Record<string, JsonSchema>> = eventPayloads

const reachTexts = {
  everyone: 'Sent to every session.',
  accounts: 'Sent to account holders.',
  session: 'Sent to the session that the payload names, and to account holders.',
}

/** Events without a fixed form may carry anything. */
function payloadOf(event: string): JsonSchema {
  const ending = jobEndingOf(event)
  return payloads[event] ?? (ending === null ? {} : jobPayloads[ending])
}

function descriptionOf({ reach, isLatestOnly, forGuests }: EventRule): string {
  const texts = [
    reachTexts[reach],
    forGuests === undefined ? '' : 'Guests receive it reduced.',
    isLatestOnly === true ? 'A newer one replaces what a slow client has not taken yet.' : '',
  ]
  return texts.filter((text) => text !== '').join(' ')
}

const messageOf = (event: string, rule: EventRule, writer: SchemaWriter) => ({
  name: event,
  title: event,
  description: descriptionOf(rule),
  contentType: 'application/json',
  payload: {
    type: 'object',
    required: ['event', 'data'],
    properties: { event: { const: event }, data: writer.write(payloadOf(event)) },
  },
})

const ping = {
  name: 'ping',
  title: 'ping',
  description: 'Answered by the event Pong.',
  contentType: 'application/json',
  payload: { type: 'object', required: ['type'], properties: { type: { const: 'ping' } } },
}

const security = [{ $ref: '#/components/securitySchemes/session' }]
const channel = { $ref: '#/channels/live' }
const messageRef = (name: string) => ({ $ref: `#/channels/live/messages/${name}` })

const asyncScheme = {
  type: 'httpApiKey',
  in: securitySchemes.session.in,
  name: securitySchemes.session.name,
  description: securitySchemes.session.description,
}

/** The AsyncAPI document of the live channel. */
export function eventsDocument() {
  const writer = new SchemaWriter(memberTexts)
  const events = [...eventRules].map(
    ([event, rule]) => [event, messageOf(event, rule, writer)] as const,
  )
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Larder API: live events',
      version: '1.0.0',
      description: 'JSON frames of a WebSocket that is opened with the session cookie.',
    },
    defaultContentType: 'application/json',
    channels: {
      live: {
        address: '/hubs/downloads',
        title: 'Live events',
        messages: { ...Object.fromEntries(events), ping },
      },
    },
    operations: {
      sendEvents: {
        action: 'send',
        channel,
        security,
        messages: events.map(([event]) => messageRef(event)),
      },
      receivePing: { action: 'receive', channel, security, messages: [messageRef('ping')] },
    },
    components: {
      schemas: Object.fromEntries(writer.found),
      securitySchemes: { session: asyncScheme },
    },
  }
}
