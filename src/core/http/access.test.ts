import { describe, expect, test } from 'bun:test'
import { anonymous, type Caller } from '../caller.ts'
import { checkPages, passes, routeRules } from './access.ts'
import { withoutAntiforgery } from './antiforgery.ts'

const listed = Object.keys(withoutAntiforgery).map((key) => {
  const [method = '', path = ''] = key.split(' ')
  return route(method, path, { 'x-access': 'public', 'x-antiforgery': false })
})

function route(method: string, path: string, detail: object = { 'x-access': 'account' }) {
  return { method, path, hooks: { detail } }
}

describe('the start stops', () => {
  test.each([
    ['a route without a policy', route('GET', '/api/open', {}), 'GET /api/open'],
    [
      'a budget that does not exist',
      route('POST', '/api/x', { 'x-access': 'public', 'x-limit': 'plenty' }),
      'no budget plenty',
    ],
    [
      'a budget with the name of a method of objects',
      route('POST', '/api/x', { 'x-access': 'public', 'x-limit': 'toString' }),
      'no budget toString',
    ],
    [
      'a write without antiforgery that is not listed',
      route('POST', '/api/x', { 'x-access': 'public', 'x-antiforgery': false }),
      'POST /api/x',
    ],
    [
      'a shared route without a subject',
      route('GET', '/api/x', { 'x-access': 'session', 'x-shared': ['report'] }),
      'GET /api/x is shared, but its path has no `:id`',
    ],
    [
      'a route for links that is shared on no page',
      route('GET', '/api/x/:id', { 'x-access': 'link' }),
      'GET /api/x/:id admits nobody',
    ],
  ])('at %s', (_, bad, said) => {
    expect(() => routeRules([...listed, bad])).toThrow(said)
  })

  test('at a reason for a route that does not exist', () => {
    expect(() => routeRules(listed.slice(1))).toThrow('there is no such route')
  })

  test('at a listed route that checks the token after all', () => {
    const [first, ...rest] = listed
    const checked = route(first?.method ?? '', first?.path ?? '')
    expect(() => routeRules([checked, ...rest])).toThrow('do not agree')
  })

  test.each([
    ['below /api', route('GET', '/api/late', {})],
    ['below /hubs', route('GET', '/hubs/late', {})],
    ['that writes', route('POST', '/late', {})],
  ])('at a page %s', (_, bad) => {
    expect(() => checkPages([route('GET', '/', {}), bad])).toThrow(bad.path)
  })
})

test('enforces the policy on the route line', () => {
  const detail = { 'x-access': 'owner', 'x-limit': 'auth', 'x-owner-stage-key': 'errors.x' }
  const rules = routeRules([...listed, route('POST', '/api/x', detail)])
  expect(rules.get('POST /api/x')).toEqual({
    policy: 'owner',
    limit: 'auth',
    antiforgery: true,
    shared: [],
    stageKey: 'errors.x',
  })
  expect(rules.get('POST /api/Setup/external')?.antiforgery).toBe(false)
})

const session = (role: Caller['role'], more: Partial<Caller> = {}): Caller => ({
  ...anonymous,
  kind: 'session',
  sessionId: 's',
  role,
  ...more,
})

test.each([
  [session('guest'), ['session']],
  [session('guest', { prefillGrants: ['beta'] }), ['session', 'prefill:beta', 'prefill:any']],
  [session('user'), ['session', 'account', 'prefill:beta', 'prefill:any']],
  [session('admin'), ['session', 'account', 'admin', 'prefill:beta', 'prefill:any']],
  [
    session('admin', { isOwner: true }),
    ['session', 'account', 'admin', 'owner', 'prefill:beta', 'prefill:any'],
  ],
  [anonymous, []],
  [{ ...anonymous, kind: 'link' as const }, []],
])('admits the right callers: %j', (caller, passed) => {
  const policies = [
    'link',
    'session',
    'account',
    'admin',
    'owner',
    'prefill:beta',
    'prefill:any',
  ] as const
  const admitted: string[] = policies.filter((policy) => passes(caller, policy))
  expect(admitted).toEqual(passed)
})
