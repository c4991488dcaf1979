import { describe, expect, test } from 'bun:test'
import { TypeGuard } from '@sinclair/typebox'
import { Parser } from '@asyncapi/parser'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { events } from '../../src/app.ts'
import { platformCalls } from '../../src/prefill/hubs/payloads.ts'
import { testApp } from '../support/app.ts'
import { eventFaults } from '../support/event-faults.ts'
import { readDocument } from './openapi-documents.ts'

const path = '/openapi/events.json'

interface EventsDocument {
  channels: Record<string, { address: string; messages: Record<string, Message> }>
  components: { schemas: Record<string, object> }
}

interface Method {
  properties: { method: { const: string }; args: object }
}

interface Message {
  description: string
  payload: { properties: { data: { $ref?: string } }; oneOf?: Method[] }
}

const app = await testApp()
const text = await readDocument(app, path)
const channels = (JSON.parse(text) as EventsDocument).channels
const messages = channels['live']?.messages ?? {}

describe(path, () => {
  test("passes AsyncAPI's own parser and a linter that shares no code with it", async () => {
    const found = await new Parser().validate(text)
    const faults = found.filter(({ code }) => code !== 'asyncapi-latest-version')
    expect(faults.map(({ message, path: at }) => `${at.join('.')}: ${message}`)).toEqual([])
    const config = await createConfig({ extends: ['recommended-strict'] })
    const problems = await lintFromString({ source: text, absoluteRef: path, config })
    expect(problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([])
  })

  test('lists every event of the catalogue, and what a client may send', () => {
    expect(Object.keys(messages).sort()).toEqual([...events.keys(), 'ping'].sort())
    expect(events.size).toBeGreaterThan(150)
  })

  test('says who receives an event and what it carries', () => {
    expect(messages['ActivityUpdated']).toMatchObject({
      description:
        'Sent to every session. Guests receive it reduced. ' +
        'A newer one replaces what a slow client has not taken yet.',
      payload: { properties: { data: { $ref: '#/components/schemas/ActivitySnapshot' } } },
    })
    const progress = messages['CacheClearingProgress']?.payload.properties.data
    expect(progress).toEqual({ $ref: '#/components/schemas/JobProgress' })
  })

  test('has a channel for the hub of every platform, with the payloads of its events', () => {
    const { address, messages: own } = channels['prefill-beta'] ?? { address: '', messages: {} }
    expect(address).toBe('/hubs/beta-prefill-daemon')
    expect(own['BetaDaemonSessionUpdated']?.payload.properties.data).toEqual({
      $ref: '#/components/schemas/DaemonSession',
    })
    expect(own['BetaPrefillProgress']?.payload.properties.data).toMatchObject({
      properties: { progress: { $ref: '#/components/schemas/PrefillProgress' } },
    })
    expect(Object.keys(own)).toEqual(expect.arrayContaining(['call', 'answer', 'ping']))
    expect(Object.keys(own).filter((name) => /PrefillHistory|^PrefillProgress/.test(name))).toEqual(
      [],
    )
  })

  test('lists the methods of a hub with their arguments', () => {
    const call = channels['prefill-alpha']?.messages['call']
    const { oneOf = [] } = call?.payload ?? {}
    const methods = new Map(oneOf.map((one) => [one.properties.method.const, one]))
    expect([...methods.keys()]).toEqual(Object.keys(platformCalls))
    expect(methods.get('WaitForChallengeAsync')).toMatchObject({
      required: ['id', 'method', 'args'],
      properties: {
        args: {
          minItems: 1,
          maxItems: 2,
          items: [{ type: 'string' }, { type: ['number', 'null'] }],
        },
      },
    })
    expect(methods.get('GetMySessions')?.properties.args).toMatchObject({ maxItems: 0 })
  })

  test('gives every event a payload', () => {
    expect([...events].filter(([, { payload }]) => !TypeGuard.IsSchema(payload))).toEqual([])
  })

  test('is closed without a credential and to a wrong key', async () => {
    expect((await app.request(path)).status).toBe(401)
    const answer = await app.request(path, { headers: { 'X-Api-Key': 'wrong' } })
    expect(answer.status).toBe(401)
  })
})

interface Frame {
  event: string
  data: object
}

/** Frames of a connection to the hub, up to and with the event that is waited for. */
function framesUntil(last: string, cause: () => void): Promise<Frame[]> {
  const frames: Frame[] = []
  return new Promise((resolve) => {
    const socket = {
      send(frame: string) {
        const parsed = JSON.parse(frame) as Frame
        frames.push(parsed)
        if (parsed.event === last) resolve(frames)
        return frame.length
      },
      bufferedBytes: () => 0,
      close: () => undefined,
      terminate: () => undefined,
    }
    const caller = {
      kind: 'session' as const,
      sessionId: 'owner',
      role: 'admin' as const,
      accountId: null,
      isOwner: true,
      prefillGrants: [],
    }
    app.hub.accept(socket, { caller, address: null })
    cause()
  })
}

test('frames of the hub have the documented form', async () => {
  const frames = await framesUntil('CacheClearingComplete', () => {
    app.operations.submit({
      type: 'cacheClearing',
      scope: 'bulk',
      name: 'Clear',
      events: { prefix: 'CacheClearing', showNotification: true },
      run: async ({ report }) => {
        report({ percentComplete: 50, message: 'half' })
        return { kind: 'completed' }
      },
    })
  })
  const names = frames.map(({ event }) => event)
  const wanted = ['Welcome', 'OperationUpdated', 'CacheClearingStarted', 'CacheClearingProgress']
  expect(names).toEqual(expect.arrayContaining(wanted))
  for (const frame of frames) expect([frame.event, eventFaults(frame)]).toEqual([frame.event, []])
})
