import { expect, test } from 'bun:test'
import { readMessage, readRequest, writeEvent, writeRequest, writeResponse } from './envelopes.ts'
import { MessageError } from './fields.ts'
import { parseWireJson, wireNumber } from './wire-json.ts'

const tooMany = Object.fromEntries(Array.from({ length: 101 }, (_, at) => [at, 'y']))
const now = new Date('2026-01-01T00:00:00Z')

test('a request as it is sent and read', () => {
  const parameters = { secret: 'A1', none: null }
  const text = writeRequest({ id: '7b1c', type: 'auth', parameters }, now)
  expect(text).toBe(
    '{"id":"7b1c","type":"auth","parameters":{"secret":"A1"},"createdAt":"2026-01-01T00:00:00.000Z"}',
  )
  expect(readRequest(parseWireJson(text))).toEqual({
    id: '7b1c',
    type: 'auth',
    parameters: { secret: 'A1' },
  })
  expect(writeRequest({ id: '1', type: 'status' }, now)).not.toContain('parameters')
})

test('numbers, flags and lists among the parameters become texts', () => {
  const sent =
    '{"id":7,"type":"prefill","parameters":{"force":true,"top":50,"products":["d3"],"os":null}}'
  const { id, parameters } = readRequest(parseWireJson(sent))
  expect(id).toBe('7')
  expect({ ...parameters }).toEqual({ force: 'true', top: '50', products: '["d3"]' })
})

test.each([
  'null',
  '[]',
  '5',
  '{}',
  '{"type":"status"}',
  '{"id":{},"type":"status"}',
  '{"id":"1"}',
  '{"id":"1","type":7}',
  '{"id":"1","type":"x","parameters":[]}',
  JSON.stringify({ id: '1', type: 'x', parameters: tooMany }),
])('request refused: %s', (text) => {
  expect(() => readRequest(JSON.parse(text))).toThrow(MessageError)
})

test('names of prototypes are ordinary parameters', () => {
  const { parameters } = readRequest(
    JSON.parse('{"id":"1","type":"x","parameters":{"__proto__":"a","constructor":"b"}}'),
  )
  expect(Object.entries(parameters)).toEqual([
    ['__proto__', 'a'],
    ['constructor', 'b'],
  ])
  expect(readRequest(JSON.parse('{"id":"1","type":"x"}')).parameters['constructor']).toBeUndefined()
})

test('a response carries requiresLogin and nothing that is null', () => {
  const content = { success: true, data: [{ name: 'x', image: null }] }
  const text = writeResponse('1', content, now)
  expect(JSON.parse(text)).toEqual({
    id: '1',
    requiresLogin: false,
    success: true,
    data: [{ name: 'x' }],
    completedAt: '2026-01-01T00:00:00.000Z',
  })
  expect(readMessage(JSON.parse(text))).toEqual({
    kind: 'response',
    id: '1',
    success: true,
    message: null,
    error: null,
    data: [{ name: 'x' }],
    requiresLogin: false,
  })
})

test('an event is known by its type, a response by its id', () => {
  const event = JSON.parse(writeEvent('auth-state', { state: 'logged-in', message: null }, now))
  expect(readMessage(event)).toEqual({
    kind: 'event',
    type: 'auth-state',
    data: { state: 'logged-in' },
  })
  const status = { type: 'status-update', status: 'logged-in' }
  expect(readMessage(status)).toEqual({ kind: 'event', type: 'status-update', data: status })
  expect(readMessage({ type: 'unheard-of', data: {} })).toBeNull()
  expect(readMessage({})).toBeNull()
})

test.each(['null', '[]', '"x"', '{"id":"1","success":"yes"}', '{"id":"1","error":{}}'])(
  'message refused: %s',
  (text) => expect(() => readMessage(JSON.parse(text))).toThrow(MessageError),
)

test('numbers of 64 bits keep their digits in both directions', () => {
  const text = '{"a":18446744073709551615,"b":9007199254740991,"c":1.5,"d":"9007199254740993"}'
  const read = parseWireJson(text) as Record<string, unknown>
  expect(read).toEqual({
    a: '18446744073709551615',
    b: 9007199254740991,
    c: 1.5,
    d: '9007199254740993',
  })
  expect(JSON.stringify({ a: wireNumber('18446744073709551615') })).toBe(
    '{"a":18446744073709551615}',
  )
  for (const wrong of ['', '1e3', '"', '1,"x":2', '1.5']) {
    expect(() => wireNumber(wrong)).toThrow(SyntaxError)
  }
  expect(() => parseWireJson('{"a":')).toThrow(SyntaxError)
})
