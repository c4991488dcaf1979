import { expect, test } from 'bun:test'
import { bodyOfDraft, draftOf, emptyDraft, missingIn, type Draft } from './draft.ts'
import type { Rule } from './queries.ts'

const draft = (part: Partial<Draft>): Draft => ({ ...emptyDraft, name: 'Old games', ...part })

test('days belong to time conditions, bytes to size conditions', () => {
  expect(bodyOfDraft(draft({ days: '30' }))).toMatchObject({ days: 30, bytes: null })
  const large = bodyOfDraft(draft({ condition: 'gameLargerThan', gigabytes: '1,5' }))
  expect(large).toMatchObject({ days: null, bytes: 1_500_000_000 })
})

test('missing or invalid numbers are reported and not sent', () => {
  for (const [part, reason] of [
    [{ name: ' ' }, 'retention.needsName'],
    [{ days: '' }, 'retention.needsDays'],
    [{ days: '1.5' }, 'retention.needsDays'],
    [{ days: '4000' }, 'retention.needsDays'],
    [{ condition: 'diskBelow', gigabytes: 'much' }, 'retention.needsBytes'],
    [{ condition: 'serviceAbove', service: '' }, 'retention.needsService'],
  ] as const) {
    expect(bodyOfDraft(draft(part))).toBeNull()
    expect(missingIn(draft(part))).toBe(reason)
  }
  expect(missingIn(draft({}))).toBeNull()
})

test("a service's total covers all its games in all caches", () => {
  const part = { condition: 'serviceAbove', service: 'steam', gameKey: 'alpha:1' } as const
  expect(bodyOfDraft(draft({ ...part, datasource: 'default' }))).toMatchObject({
    service: 'steam',
    gameKey: null,
    datasource: null,
  })
})

test('a saved rule survives being opened and saved unchanged', () => {
  const rule: Rule = {
    id: 'a',
    name: 'Little room',
    isEnabled: true,
    position: 2,
    service: null,
    gameKey: null,
    datasource: 'default',
    condition: 'diskBelow',
    days: null,
    bytes: 250_000_000_000,
    createdAtUtc: '',
    updatedAtUtc: '',
  }
  const { id: _, createdAtUtc: _c, updatedAtUtc: _u, isEnabled: _e, position: _p, ...kept } = rule
  expect(bodyOfDraft(draftOf(rule))).toEqual(kept)
})
