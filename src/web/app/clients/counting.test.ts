import { expect, test } from 'bun:test'
import { countingsOf, reverted, withCounting } from './counting.ts'

const rules = [
  { ip: '10.0.0.1', mode: 'exclude' as const },
  { ip: '10.0.0.2', mode: 'hide' as const },
]

test('one client changes, all others stay', () => {
  expect(withCounting(rules, '10.0.0.1', 'hide')).toEqual([
    { ip: '10.0.0.2', mode: 'hide' },
    { ip: '10.0.0.1', mode: 'hide' },
  ])
  expect(withCounting(rules, '10.0.0.2', 'counted')).toEqual([{ ip: '10.0.0.1', mode: 'exclude' }])
  expect(countingsOf(withCounting(rules, '10.0.0.3', 'exclude')).get('10.0.0.3')).toBe('exclude')
})

test('undo reverts only its own change', () => {
  const after = [
    { ip: '10.0.0.1', mode: 'hide' as const },
    { ip: '10.0.0.2', mode: 'hide' as const },
    { ip: '10.0.0.3', mode: 'hide' as const },
  ]
  const others = [{ ip: '10.0.0.9', mode: 'exclude' as const }]
  expect(reverted(rules, after, [...after, ...others])).toEqual([
    { ip: '10.0.0.2', mode: 'hide' },
    { ip: '10.0.0.9', mode: 'exclude' },
    { ip: '10.0.0.1', mode: 'exclude' },
  ])
})
