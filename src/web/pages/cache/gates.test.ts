import { expect, test } from 'bun:test'
import { isHarmless, keyGates, noCache, writeGates } from './gates.ts'

const fine = {
  name: 'default',
  cachePath: '/cache',
  canWriteCache: true,
  cacheProblem: 'none',
  denial: null,
  scheme: 'monolithic',
} as const

test('nothing blocks an intact cache', () => {
  expect([...writeGates([fine]), ...keyGates([fine])]).toEqual([])
})

test('a missing folder is reported as such, not as read-only', () => {
  const away = { ...fine, canWriteCache: false, cacheProblem: 'missing' } as const
  expect(writeGates([away]).map(({ title }) => title)).toEqual(['cache.gateMissing'])
  const silent = { ...away, cacheProblem: 'unresponsive' } as const
  expect(writeGates([silent]).map(({ title }) => title)).toEqual(['cache.gateSilent'])
})

test('each cache has its own reason, with its path', () => {
  const gates = writeGates([
    fine,
    { ...fine, name: 'nas', cachePath: '/nas', canWriteCache: false },
  ])
  expect(gates).toMatchObject([
    { datasource: 'nas', title: 'cache.gateReadOnly', values: { path: '/nas' } },
  ])
})

test('unclear key schemes block, with the remedy for their cause', () => {
  const remedyOf = (scheme: string) => keyGates([{ ...fine, scheme, denial: 'No' }])[0]?.remedy
  expect(remedyOf('unknown')).toBe('cache.gateKeysFix')
  expect(remedyOf('mixed')).toBe('cache.gateKeysMixed')
})

test('a cache that is only watched may be read-only; anything else has to be put right', () => {
  const watched = { ...fine, canWriteCache: false }
  expect(writeGates([watched]).every(isHarmless)).toBe(true)
  const away = { ...watched, cacheProblem: 'missing' } as const
  expect(writeGates([watched, away]).every(isHarmless)).toBe(false)
  expect(isHarmless(noCache)).toBe(false)
})
