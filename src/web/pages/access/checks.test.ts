import { expect, test } from 'bun:test'
import type { SetupCheck, SetupChecklist } from '../../api/queries.ts'
import { checkText, isStarting, questionOf, waitsForLog } from './checks.ts'

const about = {
  datasource: 'default',
  detail: null,
  entries: [],
  lines: 4,
  understood: 3,
  remedy: null,
}
const log: SetupCheck = {
  ...about,
  part: 'log',
  problem: 'missing',
  state: 'bad',
  path: '/logs',
  format: null,
}
const list = (ingestState: string, ...checks: SetupCheck[]): SetupChecklist => ({
  ingestState,
  isInContainer: false,
  checks,
})

test('texts say where the remedy is entered', () => {
  expect(checkText(log, true)).toMatchObject({
    title: 'check.title.log',
    text: 'check.log.missingInContainer',
    values: { path: '/logs' },
  })
  expect(checkText(log, false).text).toBe('check.log.missing')
  const lines: SetupCheck = { ...log, part: 'lines', problem: 'none', format: 'json' }
  expect(checkText(lines, true)).toMatchObject({
    text: 'check.lines.none',
    values: { lines: 4, understood: 3 },
    format: 'check.format.json',
  })
})

test('a folder without a log shows what it contains instead', () => {
  const noLog: SetupCheck = { ...log, problem: 'noLog', detail: 'no access log in /logs' }
  expect(checkText(noLog, true)).toMatchObject({ text: 'check.log.noLogEmpty', detail: null })
  expect(checkText({ ...noLog, entries: ['a.txt', 'nginx'] }, true)).toMatchObject({
    text: 'check.log.noLog',
    values: { entries: 'a.txt, nginx' },
    detail: null,
  })
  const unreadable: SetupCheck = { ...log, problem: 'unreadable', detail: 'of the server' }
  expect(checkText(unreadable, true).detail).toBe('of the server')
})

test.each([
  ['awaiting_setup', 'start'],
  ['starting', 'later'],
  ['storage_failed', 'later'],
  ['following', 'none'],
  ['mismatch', 'none'],
] as const)('%s asks: %s', (state, question) => {
  expect(questionOf(list(state, log))).toBe(question)
})

test('without a datasource there is nothing to choose', () => {
  const missing: SetupCheck = { ...log, part: 'datasource', problem: 'notConfigured' }
  expect(questionOf(list('awaiting_setup', missing))).toBe('none')
})

test('repeats itself while something starts', () => {
  const database: SetupCheck = { ...log, part: 'database', problem: 'starting' }
  expect(isStarting(list('awaiting_setup', log))).toBe(false)
  expect(isStarting(list('awaiting_setup', database))).toBe(true)
  expect(isStarting(list('starting', log))).toBe(true)
})

test('reading existing logs waits for a log that cannot be read, not for one that does not exist yet', () => {
  expect(waitsForLog(list('awaiting_setup', log))).toBe(true)
  expect(
    waitsForLog(list('awaiting_setup', { ...log, problem: 'noLog', state: 'attention' })),
  ).toBe(false)
})
