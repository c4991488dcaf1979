import { expect, test } from 'bun:test'
import type { Account } from '../../../api/access-queries.ts'
import { obstaclesFor } from './permissions.ts'

const account = (part: Partial<Account>): Account => ({
  id: 'a',
  username: 'anna',
  role: 'user',
  isMainAdmin: false,
  isDisabled: false,
  createdAtUtc: '2026-11-21T12:00:00Z',
  lastLoginAtUtc: null,
  ...part,
})
const owner = { accountId: 'o', isOwner: true }
const admin = { accountId: 'b', isOwner: false }

test('the owner account cannot be changed, even by the owner', () => {
  const obstacles = obstaclesFor(account({ id: 'o', isMainAdmin: true, role: 'admin' }), owner)
  expect(new Set(Object.values(obstacles))).toEqual(
    new Set(['refused.accounts-mainAdminProtected']),
  )
})

test('nobody can remove their own access', () => {
  expect(obstaclesFor(account({ id: 'b', role: 'admin' }), admin)).toEqual({
    change: null,
    role: 'refused.accounts-selfProtected',
    disable: 'refused.accounts-selfProtected',
    remove: 'refused.accounts-selfProtected',
  })
})

test('only the owner appoints admins; admins can demote', () => {
  expect(obstaclesFor(account({}), admin).role).toBe('refused.accounts-adminRoleRequiresMainAdmin')
  expect(obstaclesFor(account({}), owner).role).toBeNull()
  expect(obstaclesFor(account({ role: 'admin' }), admin).role).toBeNull()
})
