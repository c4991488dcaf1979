import { beforeAll, expect, test } from 'bun:test'
import en from '../../../locales/en.settings.json'
import { setTexts } from '../../../locales/translate.ts'
import { sentenceKey, sentenceOf, type AuditEntry } from './sentence.ts'

beforeAll(() => setTexts(en))

const entry = (part: Partial<AuditEntry>): AuditEntry => ({
  id: 1,
  at: '2026-11-21T00:00:00.000Z',
  event: 'PasswordChanged',
  actorAccountId: 'a',
  actorName: 'anna',
  actorSessionId: 's',
  targetAccountId: 'b',
  targetName: 'bert',
  address: null,
  ...part,
})
const nobody = { actorAccountId: null, actorName: null, actorSessionId: null }

test.each([
  ['a password of somebody else', {}, 'audit.event.PasswordChanged'],
  ['the own password', { targetAccountId: 'a' }, 'audit.ownPassword'],
  ['the first account', { event: 'AccountCreated', ...nobody }, 'audit.firstAccount'],
  [
    'an account made without signing in',
    { event: 'AccountCreated', ...nobody, actorSessionId: 's' },
    'audit.event.AccountCreated',
  ],
  ['a known name', { event: 'LoginFailed', ...nobody }, 'audit.event.LoginFailed'],
  [
    'an unknown name',
    { event: 'LoginFailed', ...nobody, targetAccountId: null },
    'audit.failedUnknown',
  ],
  ['an event of a later version', { event: 'Renamed' }, 'audit.other'],
] as const)('%s', (_, part, key) => {
  expect(sentenceKey(entry(part))).toBe(key)
})

test('a refused sign-in names its address', () => {
  const failed = entry({ event: 'LoginFailed', ...nobody, address: '10.0.0.7' })
  expect(sentenceOf(failed)).toEndWith('(10.0.0.7)')
  expect(sentenceOf({ ...failed, address: null })).not.toContain('(')
})
