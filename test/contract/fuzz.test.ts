import { describe, expect, test } from 'bun:test'
import { testApp } from '../support/app.ts'
import { freshHistory } from '../support/postgres.ts'
import { signInOwner } from '../support/sign-in.ts'
import {
  fieldsOf,
  operationsOf,
  requestFor,
  type Field,
  type Operation,
} from './hostile-requests.ts'

/** Values of every type, each of them invalid or dangerous for some field; every field refuses `a\0b`. */
const values: readonly unknown[] = [
  'a\ud800',
  '',
  'x'.repeat(5000),
  '../../x',
  null,
  -1,
  2 ** 31,
  Number.MAX_SAFE_INTEGER,
  '9223372036854775808',
  1e300,
  [],
  ['a\0b'],
  { x: { y: [] } },
  'constructor',
  '__proto__',
]

/** Names that every plain object of JavaScript seems to have. */
const inherited = ['__proto__', 'constructor', 'hasOwnProperty', 'toString', 'valueOf']

const history = await freshHistory()
const app = await testApp({ history, isIngesting: true, isIndexing: true })
let owner = await signInOwner(app)
const documents = await Promise.all(
  ['/openapi/v1.json', '/openapi/ext.json'].map((path) =>
    app.request(path, { headers: { 'X-Api-Key': app.key } }).then((answer) => answer.json()),
  ),
)
const operations = documents.flatMap(operationsOf)
// Rows with the ids used in requests, so that handlers get past the look-up.
await owner.post('/api/client-groups', { nickname: 'one', initialIps: ['10.0.0.1'] })
await owner.post('/api/events', { name: 'one', startTime: 1_790_000_000, endTime: 1_790_003_600 })

let calls = 0

/** A different address each time: rate limits are not under test. Some calls end the session. */
async function send(operation: Operation, field: Field | null, value: unknown): Promise<Response> {
  calls++
  const { path, body } = requestFor(operation, field, value)
  const address = `10.${(calls >> 16) & 255}.${(calls >> 8) & 255}.${calls & 255}`
  const options = { headers: { 'X-Forwarded-For': address }, ...(body !== undefined && { body }) }
  const answer = await owner.send(operation.method, path, options)
  if (answer.status !== 401) return answer
  owner = await signInOwner(app)
  return owner.send(operation.method, path, options)
}

interface Outcome {
  call: string
  value: unknown
  status: number
  text: string
}

/** Sends every value in every field; returns the responses that `isWrong` objects to. */
async function sendAll(sent: readonly unknown[], isWrong: (status: number) => boolean) {
  const wrong: Outcome[] = []
  for (const operation of operations) {
    for (const field of fieldsOf(operation)) {
      for (const value of sent) {
        const answer = await send(operation, field, value)
        const text = await answer.text()
        if (!isWrong(answer.status)) continue
        const call = `${operation.method} ${operation.path} ${field.place} ${field.name}`
        wrong.push({ call, value, status: answer.status, text: text.slice(0, 200) })
      }
    }
  }
  return wrong
}

describe('every operation of both documents', () => {
  test('never fails, whatever a field contains', async () => {
    const wrong = await sendAll(values, (status) => status >= 500 && status !== 503)
    expect(wrong).toEqual([])
    // A misread document would make this test pass without sending requests.
    expect(calls).toBeGreaterThan(3000)
  })

  test('refuses unstorable text in every field', async () => {
    expect(await sendAll(['a\0b'], (status) => status !== 400)).toEqual([])
  })

  test('refuses what is too long for its place in a path', async () => {
    let sent = 0
    for (const operation of operations) {
      for (const field of fieldsOf(operation).filter(({ place }) => place === 'path')) {
        for (const value of ['x'.repeat(5000), '1'.repeat(5000)]) {
          const answer = await send(operation, field, value)
          const faults = ((await answer.json()) as { errors?: object }).errors ?? {}
          const call = `${operation.method} ${operation.path} ${field.name}`
          expect([call, answer.status]).toEqual([call, 400])
          expect([call, Object.keys(faults)]).toEqual([call, [field.name]])
          sent++
        }
      }
    }
    expect(sent).toBeGreaterThan(150)
  })

  test('refuses lone surrogates in every body', async () => {
    const inBodies = operations.filter(({ body }) => body !== null)
    expect(inBodies.length).toBeGreaterThan(30)
    for (const operation of inBodies) {
      for (const field of fieldsOf(operation).filter(({ place }) => place === 'body')) {
        expect([field, (await send(operation, field, 'a\ud800')).status]).toEqual([field, 400])
      }
    }
  })

  test('refuses form encoding where JSON is documented', async () => {
    const form = new Blob(['isLocked=true'], { type: 'application/x-www-form-urlencoded' })
    for (const operation of operations.filter(({ body }) => body !== null)) {
      const answer = await send(operation, { place: 'body', name: '' }, form)
      expect([operation.path, answer.status]).toEqual([operation.path, 415])
    }
  })

  test('refuses unknown members', async () => {
    for (const operation of operations.filter(({ body }) => body?.properties !== undefined)) {
      const field: Field = { place: 'body', name: 'surplus' }
      const answer = await send(operation, field, 1)
      expect([operation.path, answer.status]).toEqual([
        operation.path,
        operation.isForm ? 415 : 400,
      ])
    }
  })

  test('refuses members named like inherited ones, beside valid members and alone', async () => {
    const json = (text: string) => new Blob([text], { type: 'application/json' })
    for (const operation of operations) {
      if (operation.body?.properties === undefined || operation.isForm) continue
      const { body = {} } = requestFor(operation, null, null)
      for (const name of inherited) {
        // As text: in a literal, `__proto__` would set the prototype.
        const member = `${JSON.stringify(name)}:{"x":1}`
        const valid = JSON.stringify(body).slice(1, -1)
        for (const text of [`{${member}}`, `{${[valid, member].filter(Boolean).join()}}`]) {
          const field: Field = { place: 'body', name: '' }
          const answer = await send(operation, field, json(text))
          expect([operation.path, text, answer.status]).toEqual([operation.path, text, 400])
          expect(Object.keys(((await answer.json()) as { errors: object }).errors)).toContain(name)
        }
      }
    }
  })

  test('accepts or refuses parameters of the query with such names', async () => {
    for (const operation of operations.filter(({ method }) => method === 'GET')) {
      const { path } = requestFor(operation, null, null)
      // The name that sets a prototype, and those that are only looked up.
      const [first, ...others] = inherited.map((name) => `${name}=1`)
      for (const query of [first, others.join('&')]) {
        const answer = await owner.get(`${path}${path.includes('?') ? '&' : '?'}${query}`)
        expect([path, query, answer.status === 500]).toEqual([path, query, false])
        await answer.body?.cancel()
      }
    }
  })

  test('refuses undocumented methods', async () => {
    for (const { path } of operations) {
      const answer = await app.request(path.replaceAll(/\{\w+\}/g, '1'), { method: 'OPTIONS' })
      const methods = (answer.headers.get('Allow') ?? '').split(', ')
      expect([path, answer.status]).toEqual([path, 405])
      for (const operation of operations) {
        if (operation.path === path) expect(methods).toContain(operation.method)
      }
    }
  })
})
