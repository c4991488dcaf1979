import { expect, test } from 'bun:test'
import { knownOwners, otherUsers, staysWithout, type DepotOwners } from './depot-owners.ts'

const inUse = [{ appId: 10 }, { appId: 20 }, { appId: 30 }]

test.each([
  [228_980, false],
  [228_981, true],
  [229_033, true],
  [229_034, false],
] as const)('depot %d is used by every game: %p', (depotId, isShared) => {
  expect(knownOwners(depotId) !== null).toBe(isShared)
})

test('a depot of some apps stays while another of them is in use', () => {
  const owners: DepotOwners = { kind: 'apps', appIds: [10, 20, 99] }
  expect(otherUsers(owners, { appId: 10, inUse })).toEqual([{ appId: 20 }])
  expect(otherUsers(owners, { appId: 10, inUse: [{ appId: 30 }] })).toEqual([])
  expect(staysWithout(owners, { appId: 10, usedBy: [20] })).toBe(true)
  expect(staysWithout(owners, { appId: 10, usedBy: [] })).toBe(false)
})

test('a depot of every game is never removed with one, only with its own app when unused', () => {
  const owners: DepotOwners = { kind: 'every', ownAppId: 228_980 }
  expect(otherUsers(owners, { appId: 10, inUse })).toEqual([{ appId: 20 }, { appId: 30 }])
  expect(staysWithout(owners, { appId: 10, usedBy: [] })).toBe(true)
  expect(staysWithout(owners, { appId: 228_980, usedBy: [10] })).toBe(true)
  expect(staysWithout(owners, { appId: 228_980, usedBy: [] })).toBe(false)
})
