import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import { testApp, type TestApp } from '../support/app.ts'
import { contractOperations, positional } from './contract.ts'
import pending from './pending.json'

let app: TestApp
let document: { openapi: string; paths: Record<string, Record<string, unknown>> }

beforeAll(async () => {
  app = await testApp()
  const answer = await app.request('/openapi/v1.json', { headers: { 'X-Api-Key': app.key } })
  expect(answer.status).toBe(200)
  document = (await answer.json()) as typeof document
})

afterAll(() => app.stop())

describe('/openapi/v1.json', () => {
  test('passes an OpenAPI validator', async () => {
    const result = await new Validator().validate(document)
    expect(result.errors ?? []).toEqual([])
    expect(result.valid).toBe(true)
  })

  test('lists exactly the implemented operations of the contract', () => {
    const listed = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    )
    const expected = contractOperations
      .map(({ key }) => key)
      .filter((key) => !pending.includes(key))
    expect(listed.map(positional).sort()).toEqual(expected.map(positional).sort())
  })

  test('refuses a wrong key', async () => {
    const answer = await app.request('/openapi/v1.json', { headers: { 'X-Api-Key': 'wrong' } })
    expect(answer.status).toBe(401)
  })
})

describe('request bodies', () => {
  test.each(['/openapi/v1.json', '/openapi/ext.json'])('%s documents JSON only', async (path) => {
    const answer = await app.request(path, { headers: { 'X-Api-Key': app.key } })
    const { paths } = (await answer.json()) as typeof document
    const types = new Map<string, string>()
    for (const [route, methods] of Object.entries(paths)) {
      for (const [method, operation] of Object.entries(methods)) {
        const { requestBody } = operation as { requestBody?: { content: object } }
        if (requestBody === undefined) continue
        types.set(`${method} ${route}`, Object.keys(requestBody.content).join())
      }
    }
    expect(types.size).toBeGreaterThan(5)
    expect([...types].filter(([, type]) => type !== 'application/json')).toEqual(
      path.endsWith('v1.json') ? [['post /api/themes/upload', 'multipart/form-data']] : [],
    )
  })
})

describe('/openapi/ext.json', () => {
  test('is valid and lists exactly the operations beyond the contract', async () => {
    const answer = await app.request('/openapi/ext.json', { headers: { 'X-Api-Key': app.key } })
    const extensions = (await answer.json()) as typeof document
    const result = await new Validator().validate(extensions)
    expect(result.errors ?? []).toEqual([])
    const paths = Object.keys(extensions.paths)
    expect(paths).toContain('/api/ext/status')
    expect(paths.filter((path) => !path.startsWith('/api/ext/'))).toEqual([])
  })

  test('refuses requests without a credential', async () => {
    expect((await app.request('/openapi/ext.json')).status).toBe(401)
  })
})

describe('/reference', () => {
  test('loads nothing from another origin', async () => {
    const answer = await app.request('/reference', { headers: { 'X-Api-Key': app.key } })
    const page = await answer.text()
    expect(answer.status).toBe(200)
    expect(page).toContain('/assets/scalar.js')
    expect(page).not.toMatch(/https?:\/\//)
  })

  test('redirects a browser without a session to the dashboard', async () => {
    const answer = await app.request('/reference', { headers: { Accept: 'text/html' } })
    expect(answer.status).toBe(302)
    expect(answer.headers.get('Location')).toBe('/')
  })
})
