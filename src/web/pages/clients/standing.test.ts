import { expect, test } from 'bun:test'
import { standingsOf, withStanding } from './standing.ts'

const rules = [
  { ip: '10.0.0.1', mode: 'exclude' as const },
  { ip: '10.0.0.2', mode: 'hide' as const },
]

test('one client changes, all others stay', () => {
  expect(withStanding(rules, '10.0.0.1', 'hide')).toEqual([
    { ip: '10.0.0.2', mode: 'hide' },
    { ip: '10.0.0.1', mode: 'hide' },
  ])
  expect(withStanding(rules, '10.0.0.2', 'counted')).toEqual([{ ip: '10.0.0.1', mode: 'exclude' }])
  expect(standingsOf(withStanding(rules, '10.0.0.3', 'exclude')).get('10.0.0.3')).toBe('exclude')
})
