import { describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { Validator } from '@seriousme/openapi-schema-validator'
import { generateSource } from 'oazapfts'
import { operationIds } from '../../src/core/http/documents/operation-ids.ts'
import { testApp } from '../support/app.ts'
import { signInGuest, signInOwner } from '../support/sign-in.ts'
import contract from './contract.openapi.json'
import { contractOperations, positional } from './contract.ts'
import {
  documentPaths,
  openSchemas,
  operationsOf,
  parsed,
  readDocument,
  valuesBesideTheirType,
  type ApiDocument,
  type Operation,
} from './openapi-documents.ts'

const texts = new Map<string, string>()
const documentAt = (path: string): ApiDocument => parsed(texts.get(path) ?? '')
const both = () => documentPaths.flatMap((path) => operationsOf(documentAt(path)))

function operationOf(key: string): Operation {
  const found = both().find(([name]) => name === key)
  if (found === undefined) throw new Error(`${key} is not documented`)
  return found[1]
}

const app = await testApp()
for (const path of documentPaths) texts.set(path, await readDocument(app, path))

describe.each(documentPaths)('%s', (path) => {
  test('passes the schema of OpenAPI', async () => {
    const result = await new Validator().validate({ ...documentAt(path) })
    expect(result.errors ?? []).toEqual([])
    expect(result.valid).toBe(true)
  })

  test('passes a linter without an error or a warning', async () => {
    const config = await createConfig({ extends: ['recommended-strict'] })
    const source = texts.get(path) ?? ''
    const problems = await lintFromString({ source, absoluteRef: path, config })
    const faults = problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)
    // The key opens the documents themselves, which are not among the operations.
    const unused = 'no-unused-components: Security scheme: "installationKey" is never used.'
    // The contract has both; a ban's id is a number, so a router never confuses them.
    const ambiguous =
      'no-ambiguous-paths: Paths should resolve unambiguously. Found two ambiguous paths: ' +
      '`/api/prefill-admin/bans/by-session/{sessionId}` and ' +
      '`/api/prefill-admin/bans/{banId}/lift`.'
    const accepted = new Set([unused, ambiguous])
    expect(faults.filter((fault) => !accepted.has(fault))).toEqual([])
  })

  // Neither validator compares them.
  test('holds only defaults and enum values of the declared type', () => {
    expect(valuesBesideTheirType({ anyOf: [{ type: 'string', default: 0 }] })).toEqual([0])
    expect(valuesBesideTheirType(documentAt(path))).toEqual([])
  })

  test('yields a TypeScript client with a function for each operation', async () => {
    const file = join(app.root, 'document.json')
    writeFileSync(file, texts.get(path) ?? '')
    const source = await generateSource(file)
    expect(() => new Bun.Transpiler({ loader: 'ts' }).transformSync(source)).not.toThrow()
    const functions = [...source.matchAll(/^export function (\w+)\(/gm)]
    expect(functions).toHaveLength(operationsOf(documentAt(path)).length)
  })

  test('is the same after its operations were called', async () => {
    const used = await testApp()
    try {
      const owner = await signInOwner(used)
      for (const [key] of operationsOf(documentAt(path))) {
        const [method = '', route = ''] = key.split(' ')
        if (method === 'GET') await owner.get(route.replaceAll(/\{\w+\}/g, '1'))
      }
      const later = await readDocument(used, path)
      const before = new Map(operationsOf(documentAt(path)))
      const changed = operationsOf(parsed(later)).filter(
        ([key, operation]) => !Bun.deepEquals(operation, before.get(key)),
      )
      expect(changed.map(([key]) => key)).toEqual([])
      expect(later === texts.get(path)).toBe(true)
    } finally {
      await used.stop()
    }
  })

  test('is closed without a credential and to a wrong key', async () => {
    expect((await app.request(path)).status).toBe(401)
    const answer = await app.request(path, { headers: { 'X-Api-Key': 'wrong' } })
    expect(answer.status).toBe(401)
  })
})

describe('operations', () => {
  test('of the contract are exactly those that are built', () => {
    const listed = operationsOf(documentAt('/openapi/v1.json')).map(([key]) => key)
    const expected = contractOperations.map(({ key }) => key)
    // With the names that the contract gives to parameters of paths.
    expect(listed.sort()).toEqual(expected.sort())
  })

  test('beyond the contract stand in their own document', () => {
    const paths = Object.keys(documentAt('/openapi/ext.json').paths)
    expect(paths).toContain('/api/ext/status')
    expect(paths).toContain('/api/ext/events/calendar.ics')
    // Where other programs expect them.
    expect(paths.filter((path) => !path.startsWith('/api/ext/'))).toEqual([
      '/api/widgets/summary',
      '/api/widgets/badge.svg',
      '/DownloadStats/GetTotalDownloadStats',
    ])
  })

  test('have the ids of the contract, and others that are unique', () => {
    const ids = Object.entries(contract.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId }]) => [
        positional(`${method.toUpperCase()} ${path}`),
        operationId,
      ]),
    )
    expect(operationIds).toEqual(Object.fromEntries(ids) as Record<string, string>)
    for (const [key, { operationId }] of operationsOf(documentAt('/openapi/v1.json'))) {
      expect([key, operationId]).toEqual([key, operationIds[positional(key)] ?? ''])
    }
    const all = both().map(([, { operationId }]) => operationId)
    expect(new Set(all).size).toBe(all.length)
    expect(operationOf('GET /api/ext/events/{id}/export').operationId).toBe(
      'getExtEventsByIdExport',
    )
  })

  test('name their security as the contract does', () => {
    const wanted = new Map(
      contractOperations.map(({ key, security }) => [positional(key), security]),
    )
    for (const [key, { security }] of operationsOf(documentAt('/openapi/v1.json'))) {
      expect([key, security]).toEqual([key, wanted.get(positional(key)) ?? []])
    }
    const extensions = operationsOf(documentAt('/openapi/ext.json'))
    const open = extensions.filter(([, { security }]) => security.length === 0)
    expect(open.map(([key]) => key)).toEqual([
      'GET /api/ext/oidc/status',
      'GET /api/ext/oidc/start',
      'GET /api/ext/oidc/callback',
      'GET /api/ext/events/calendar.ics',
      'GET /api/widgets/summary',
      'GET /api/widgets/badge.svg',
      'GET /DownloadStats/GetTotalDownloadStats',
    ])
    // Without a session there is no scheme to name.
    const headersOf = (key: string) =>
      (operationOf(key).parameters ?? [])
        .filter((one) => one.in === 'header')
        .map(({ name }) => name)
    for (const [name, required] of Object.entries({ login: true, guest: false, logout: false })) {
      const token = { name: 'X-Antiforgery-Token', required }
      expect(operationOf(`POST /api/auth/${name}`).parameters).toMatchObject([token])
    }
    expect(headersOf('POST /api/Setup/credentials')).toEqual(['X-Api-Key'])
    expect(headersOf('POST /api/events')).toEqual([])
    const { securitySchemes } = documentAt('/openapi/v1.json').components
    expect(securitySchemes).toMatchObject({
      session: { in: 'cookie', name: 'Svc.Session' },
      antiforgery: { in: 'header', name: 'X-Antiforgery-Token' },
      installationKey: { in: 'header', name: 'X-Api-Key' },
    })
  })

  test('require no parameter with a default, and promise none beyond the head of a request', () => {
    const all = both().flatMap(([key, { parameters = [] }]) =>
      parameters.map((one) => ({ call: `${key} ${one.name}`, ...one })),
    )
    const usual = all.filter(({ schema }) => schema.default !== undefined)
    const calls = (list: typeof all) => list.map(({ call }) => call)
    expect(calls(usual)).toContain('GET /api/alpha-api-keys/status forceRefresh')
    expect(calls(usual.filter(({ required }) => required))).toEqual([])
    expect(calls(all.filter(({ schema }) => (schema.maxLength ?? 0) > 16_000))).toEqual([])
  })

  test('say what numbers in their parameters are', () => {
    const silent = both().flatMap(([key, { parameters = [] }]) =>
      parameters
        .filter(({ description = '' }) => description === '')
        .map(({ name }) => `${key} ${name}`),
    )
    expect(silent).toEqual([])
    const textOf = (key: string, name: string) =>
      operationOf(key).parameters?.find((one) => one.name === name)?.description
    // One name, several meanings.
    expect([
      textOf('GET /api/system/prefill/persistent/games', 'service'),
      textOf('GET /api/ext/services/{service}', 'service'),
      textOf('POST /api/events/{eventId}/downloads/{downloadId}', 'eventId'),
      textOf('GET /api/stats/dashboard', 'eventId'),
      textOf('GET /api/ext/log', 'search'),
    ]).toEqual([
      'PrefillPlatform, by name or number',
      'Name of a service, as in the access log',
      'Id of an event',
      'Only downloads within the time of this event, by its id',
      'Part of a line, in any case',
    ])
    const texted = operationOf('GET /api/stats/dashboard').parameters ?? []
    expect(texted.find(({ name }) => name === 'startTime')).toMatchObject({
      description: 'Start of the range: Unix time in seconds',
      schema: { type: 'integer', minimum: 0 },
    })
  })
})

describe('bodies and answers', () => {
  test('requests are documented as JSON alone, and those with a file as a form', () => {
    const types = both().flatMap(([key, { requestBody }]) =>
      requestBody === undefined ? [] : [[key, Object.keys(requestBody.content).join()] as const],
    )
    expect(types.length).toBeGreaterThan(20)
    expect(types.filter(([, type]) => type !== 'application/json')).toEqual([
      ['POST /api/themes/upload', 'multipart/form-data'],
      ['POST /api/ext/backups/upload', 'multipart/form-data'],
    ])
  })

  test('say of every body, and of what a list in it has, what it holds', () => {
    const bare = both().flatMap(([key, { requestBody }]) =>
      openSchemas(requestBody?.content).map(() => key),
    )
    expect(bare).toEqual([])
    const { requestBody } = operationOf('PUT /api/depots/rebuild/config/interval')
    expect(requestBody?.content['application/json']).toMatchObject({
      schema: { type: 'number', minimum: 0, maximum: 8760, description: 'Hours; 0: never' },
    })
  })

  test('members of one name have the text of their own schema', () => {
    const textOf = (path: (typeof documentPaths)[number], model: string, member: string) =>
      documentAt(path).components.schemas[model]?.properties?.[member]?.description
    const rule = 'Rules apply in the order of their positions'
    expect(textOf('/openapi/ext.json', 'RetentionRule', 'position')).toBe(rule)
    expect(textOf('/openapi/ext.json', 'RetentionRuleBody', 'position')).toBe(rule)
    expect(textOf('/openapi/v1.json', 'LogPositionChange', 'position')).toBe(
      'Lines of the log files that were read',
    )
    expect(textOf('/openapi/v1.json', 'EventInput', 'startTime')).toBe('Unix time in seconds')
    const models = documentPaths.flatMap((path) =>
      Object.values(documentAt(path).components.schemas),
    )
    const numbers = models
      .flatMap(({ properties = {} }) => Object.entries(properties))
      .filter(([, { type }]) => [type].flat().some((one) => one === 'integer' || one === 'number'))
    const silent = numbers.filter(
      ([name, { description }]) =>
        /(Percent|Ratio|CacheSize|UsedSize|Length)$/.test(name) && description === undefined,
    )
    expect(silent.map(([name]) => name)).toEqual([])
  })

  test('400 is documented in each of its forms', () => {
    const formsOf = (key: string) => operationOf(key).responses[400]?.content
    const [error, problem] = ['ErrorBody', 'Problem'].map((name) => ({
      schema: { $ref: `#/components/schemas/${name}` },
    }))
    for (const path of ['{serviceKey}/customSchedule', 'scheduledPrefill/config']) {
      expect(formsOf(`PUT /api/system/schedules/${path}`)).toEqual({
        'text/plain': { schema: { type: 'string' } },
        'application/json': error ?? {},
        'application/problem+json': problem ?? {},
      })
    }
    // With its message where Steam or the form of the key is the reason, and without an antiforgery value.
    expect(formsOf('POST /api/alpha-api-keys')).toMatchObject({
      'application/json': {
        schema: { anyOf: [error?.schema, { required: ['error', 'message'] }] },
      },
    })
    expect(formsOf('GET /api/system/schedules/{serviceKey}')).toEqual({
      'application/problem+json': problem ?? {},
    })
  })

  test('public operations that take a token answer 401 without a body', () => {
    for (const path of ['/api/ext/events/calendar.ics', '/api/widgets/summary']) {
      const unauthenticated = operationOf(`GET ${path}`).responses[401]
      expect(unauthenticated).toBeDefined()
      expect(unauthenticated?.content).toBeUndefined()
    }
  })

  test('files are documented in the types that they are sent in', () => {
    const typesOf = (key: string) => Object.keys(operationOf(key).responses[200]?.content ?? {})
    expect(typesOf('GET /api/ext/downloads/export')).toEqual(['text/csv', 'application/json'])
    expect(typesOf('GET /api/ext/events/calendar.ics')).toEqual(['text/calendar'])
    expect(typesOf('GET /api/themes/{id}')).toEqual(['application/toml', 'application/json'])
  })

  test('an enum that may be null lists null', () => {
    const { properties = {} } =
      documentAt('/openapi/v1.json').components.schemas['AuthStatus'] ?? {}
    expect(properties['sessionType']).toEqual({
      type: ['string', 'null'],
      enum: ['admin', 'user', 'guest', null],
    })
    const enums = [
      ...(texts.get('/openapi/v1.json') ?? '').matchAll(
        /"type":\["string","null"\],"enum":\[([^\]]*)\]/g,
      ),
    ]
    expect(enums.filter(([, values = '']) => !values.endsWith('null'))).toEqual([])
  })

  test('shapes that several operations share have a name', () => {
    const names = Object.keys(documentAt('/openapi/v1.json').components.schemas)
    for (const name of ['ClientGroup', 'Download', 'ErrorBody', 'Event', 'Problem', 'ScanStatus']) {
      expect(names).toContain(name)
    }
    const list = operationOf('GET /api/events').responses[200]?.content
    expect(list).toEqual({
      'application/json': {
        schema: { type: 'array', items: { $ref: '#/components/schemas/Event' } },
      },
    })
  })

  test('every refusal that is sent is documented', async () => {
    const login = operationOf('POST /api/auth/login').responses
    expect(Object.keys(login)).toEqual(
      expect.arrayContaining(['400', '401', '408', '413', '415', '429', 'default']),
    )
    const owner = await signInOwner(app)
    const sent: [string, Response][] = [
      ['GET /api/sessions', await app.request('/api/sessions')],
      ['GET /api/sessions', await owner.get('/api/sessions?page=x')],
      [
        'POST /api/events',
        await owner.send('POST', '/api/events', { body: {}, withoutToken: true }),
      ],
      ['POST /api/events', await owner.post('/api/events', { unknown: 1 })],
      ['POST /api/events', await owner.send('POST', '/api/events', { body: new Blob(['{}']) })],
      ['GET /api/downloads/{id}', await owner.get('/api/downloads/1')],
      ['POST /api/events', await (await signInGuest(app)).post('/api/events', {})],
    ]
    for (const [key, answer] of sent) {
      const response = operationOf(key).responses[answer.status]
      expect([key, answer.status, response !== undefined]).toEqual([key, answer.status, true])
      const types = Object.keys(resolved(response).content ?? {})
      const type = answer.headers.get('Content-Type')?.split(';')[0]
      if ((await answer.text()) !== '') expect(types).toContain(type ?? '')
      // Clients would parse it.
      else expect(types).toEqual([])
    }
  })
})

/** A response, followed into the components where it refers to them. */
function resolved(response: { $ref?: string; content?: object } | undefined) {
  const name = response?.$ref?.split('/').at(-1)
  if (name === undefined) return response ?? {}
  const { responses } = documentAt('/openapi/v1.json').components
  return responses[name] ?? {}
}

test('the page in front explains sign-in, antiforgery and the live events', () => {
  const { description } = documentAt('/openapi/v1.json').info
  for (const word of ['/api/auth/login', 'X-Antiforgery-Token', '/hubs/downloads', '4001']) {
    expect(description).toContain(word)
  }
})

describe('/reference', () => {
  test('loads nothing from another origin', async () => {
    const answer = await app.request('/reference', { headers: { 'X-Api-Key': app.key } })
    const page = await answer.text()
    expect(answer.status).toBe(200)
    expect(page).toContain('/scalar.js')
    expect(page).not.toMatch(/https?:\/\//)
  })

  test('redirects a browser without a session to the dashboard', async () => {
    const answer = await app.request('/reference', { headers: { Accept: 'text/html' } })
    expect(answer.status).toBe(302)
    expect(answer.headers.get('Location')).toBe('/')
  })
})
