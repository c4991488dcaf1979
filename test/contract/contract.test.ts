import { describe, expect, test } from 'bun:test'
import type { TSchema } from '@sinclair/typebox'
import { routeRules, type Policy } from '../../src/core/http/access.ts'
import { testApp } from '../support/app.ts'
import { contractOperations, positional, type Operation } from './contract.ts'
import { shapeFaults } from './schema-shape.ts'

interface Route {
  method: string
  path: string
  hooks: {
    response?: Record<number, TSchema>
    query?: TSchema
    body?: TSchema
    detail?: { summary?: string }
  }
}

const keyOf = ({ method, path }: { method: string; path: string }) =>
  `${method} ${positional(path)}`

const split = (key: string) => {
  const [method = '', path = ''] = key.split(' ')
  return { method, path }
}

const app = await testApp()
const all = app.apiRoutes as unknown as Route[]
const routes = new Map(all.map((route) => [keyOf(route), route]))
const policies = new Map(
  [...routeRules(all)].map(([key, { policy }]) => [keyOf(split(key)), policy]),
)

const routeOf = ({ key }: Operation): Route => {
  const route = routes.get(positional(key))
  if (route === undefined) throw new Error(`${key} is not built`)
  return route
}

const properties = (schema: TSchema | undefined): string[] => {
  if (schema === undefined) return []
  const branches = (schema.anyOf as TSchema[] | undefined) ?? [schema]
  return branches.flatMap((branch) =>
    Object.keys((branch.properties as Record<string, unknown> | undefined) ?? {}),
  )
}

describe('the contract', () => {
  test('has 285 operations, 23 of them public', () => {
    expect(contractOperations).toHaveLength(285)
    expect(contractOperations.filter(({ policy }) => policy === 'public')).toHaveLength(23)
  })

  test('every operation is built', () => {
    expect(
      contractOperations.filter(({ key }) => !routes.has(positional(key))).map(({ key }) => key),
    ).toEqual([])
  })

  test('only readiness, metrics, widgets and what lies below /api/ext/ are outside the contract', () => {
    const known = new Set(contractOperations.map(({ key }) => positional(key)))
    known.add('GET /health/ready')
    known.add('GET /metrics')
    known.add('GET /api/widgets/summary')
    known.add('GET /api/widgets/badge.svg')
    // The path that widgets of another service ask for.
    known.add('GET /DownloadStats/GetTotalDownloadStats')
    const extra = [...routes.keys()].filter((key) => !known.has(key) && !key.includes(' /api/ext/'))
    expect(extra).toEqual([])
  })
})

describe.each(contractOperations.map((operation) => [operation.key, operation] as const))(
  '%s',
  (key, operation) => {
    test('has the policy of the contract', () => {
      expect(policies.get(positional(key))).toBe(operation.policy as Policy)
    })

    test('declares a summary, and schemas of the documented successes', () => {
      const { response, detail } = routeOf(operation).hooks
      expect(detail?.summary ?? '').not.toBe('')
      const successes = Object.keys(response ?? {}).filter((status) => Number(status) < 300)
      const documented = [...operation.answers.keys()].map(String)
      // Work that waits for other work is accepted, and what is not there yet has no content.
      const additional = ['202', '204'].filter((status) => !documented.includes(status))
      expect(successes.filter((status) => !additional.includes(status))).toEqual(documented)
    })

    test('answers with every member of the contract', () => {
      const { response } = routeOf(operation).hooks
      for (const [status, declared] of operation.answers) {
        const ours = response?.[status]
        if (ours !== undefined) expect(shapeFaults(declared, ours)).toEqual([])
      }
    })

    test('takes every query parameter and body member of the contract', () => {
      const { query, body } = routeOf(operation).hooks
      const offeredQuery = properties(query).map((name) => name.toLowerCase())
      const missing = operation.queryNames.filter(
        (name) => !offeredQuery.includes(name.toLowerCase()),
      )
      expect(missing).toEqual([])
      if (body?.type !== 'string') {
        expect(operation.bodyNames.filter((name) => !properties(body).includes(name))).toEqual([])
      }
    })
  },
)
