import { TypeGuard, type TSchema } from '@sinclair/typebox'
import type { EventCatalogue, EventRule } from '../../live/events.ts'
import { securitySchemes } from './openapi.ts'
import { SchemaWriter } from './schemas.ts'

const reachTexts = {
  everyone: 'Sent to every session.',
  accounts: 'Sent to account holders.',
  session: 'Sent to the session that the payload names, and to account holders.',
}

function descriptionOf({ reach, isLatestOnly, seenBy }: EventRule): string {
  const texts = [
    reachTexts[reach],
    seenBy === undefined ? '' : 'Guests receive it reduced.',
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
    properties: { event: { const: event }, data: writer.write(rule.payload) },
  },
})

const plain = (name: string, description: string, payload: object) => ({
  name,
  title: name,
  description,
  contentType: 'application/json',
  payload: { type: 'object', ...payload },
})

const ping = plain('ping', 'Answered by the event Pong.', {
  required: ['type'],
  properties: { type: { const: 'ping' } },
})
const id = { description: 'Chosen by the client', type: ['string', 'number'] }
/** A method with its arguments; those at the end may be left out. */
function methodOf(name: string, args: readonly TSchema[], writer: SchemaWriter) {
  // A list of no schemas would be invalid.
  const items = args.length === 0 ? {} : { items: args.map((schema) => writer.write(schema)) }
  const minItems = args.filter((schema) => !TypeGuard.IsOptional(schema)).length
  return {
    title: name,
    required: minItems > 0 ? ['id', 'method', 'args'] : ['id', 'method'],
    properties: {
      id,
      method: { const: name },
      args: { type: 'array', ...items, minItems, maxItems: args.length },
    },
  }
}

type Calls = Readonly<Record<string, readonly TSchema[]>>

/** A socket beside the live channel that sends some of the events and answers calls. */
export interface HubDocument {
  name: string
  address: string
  title: string
  events: readonly string[]
  /** The methods, each with its arguments in their order. */
  calls: Calls
}

const callOf = (calls: Calls, writer: SchemaWriter) =>
  plain('call', 'Calls a method of the hub; the same id comes back with the answer.', {
    oneOf: Object.entries(calls).map(([name, args]) => methodOf(name, args, writer)),
  })
const answer = plain('answer', 'Carries a result, or an error where the method refused.', {
  required: ['id'],
  properties: {
    id,
    result: {},
    error: { type: 'object', required: ['message'], properties: { message: { type: 'string' } } },
  },
})

/** What there is to say about live connections. */
export interface LiveParts {
  events: EventCatalogue
  hubs: readonly HubDocument[]
}

type Message = ReturnType<typeof messageOf> | ReturnType<typeof plain>
interface Channel {
  address: string
  title: string
  sent: Message[]
  received: Message[]
}

/** The live channel, and the hubs with their share of the same events. */
function channelsOf({ events, hubs }: LiveParts, writer: SchemaWriter): Record<string, Channel> {
  const messages = new Map(
    [...events].map(([event, rule]) => [event, messageOf(event, rule, writer)]),
  )
  const ofHub = ({ address, title, events: own, calls }: HubDocument): Channel => ({
    address,
    title,
    sent: [...['Welcome', 'Pong', ...own].flatMap((name) => messages.get(name) ?? []), answer],
    received: [ping, callOf(calls, writer)],
  })
  return {
    live: {
      address: '/hubs/downloads',
      title: 'Live events',
      sent: [...messages.values()],
      received: [ping],
    },
    ...Object.fromEntries(hubs.map((hub) => [hub.name, ofHub(hub)])),
  }
}

const security = [{ $ref: '#/components/securitySchemes/session' }]

/** What the service sends over a channel, or receives. */
function operationOf(action: 'send' | 'receive', name: string, messages: readonly Message[]) {
  const channel = `#/channels/${name}`
  return {
    action,
    channel: { $ref: channel },
    security,
    messages: messages.map((message) => ({ $ref: `${channel}/messages/${message.name}` })),
  }
}

const asyncScheme = {
  type: 'httpApiKey',
  in: securitySchemes.session.in,
  name: securitySchemes.session.name,
  description: securitySchemes.session.description,
}

export function eventsDocument(parts: LiveParts) {
  const writer = new SchemaWriter()
  const channels = Object.entries(channelsOf(parts, writer))
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Larder API: live events',
      version: '1.0.0',
      description: 'JSON frames of WebSockets that are opened with the session cookie.',
    },
    defaultContentType: 'application/json',
    channels: Object.fromEntries(
      channels.map(([name, { address, title, sent, received }]) => [
        name,
        {
          address,
          title,
          messages: Object.fromEntries([...sent, ...received].map((one) => [one.name, one])),
        },
      ]),
    ),
    operations: Object.fromEntries(
      channels.flatMap(([name, { sent, received }]) => [
        [`send-${name}`, operationOf('send', name, sent)],
        [`receive-${name}`, operationOf('receive', name, received)],
      ]),
    ),
    components: {
      schemas: Object.fromEntries(writer.found),
      securitySchemes: { session: asyncScheme },
    },
  }
}
