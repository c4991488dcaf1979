import { expect, test } from 'bun:test'
import { appendFileSync, existsSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tempFolder } from '../../../../test/support/temp-folder.ts'
import { openJournal } from './journal.ts'

const folder = tempFolder('journal')
const open = (name: string, identity = 'v1', isFresh = false) =>
  openJournal(join(folder, 'new', name), { identity, isFresh })
const pathOf = (name: string) => join(folder, 'new', name)

test('keeps what was finished, for this process only', () => {
  const first = open('kept')
  expect(first.has('/a')).toBe(false)
  first.add('/a')
  first.add('/b 0-5')
  first.close()
  const second = open('kept')
  expect([second.has('/a'), second.has('/b 0-5'), second.has('/c')]).toEqual([true, true, false])
  expect(statSync(pathOf('kept')).mode & 0o777).toBe(0o600)
  second.finish()
  expect(existsSync(pathOf('kept'))).toBe(false)
})

test.each([
  ['another version', () => open('other', 'v2')],
  ['a forced run', () => open('other', 'v1', true)],
])('drops everything for %s', (_name, reopen) => {
  const first = open('other')
  first.add('/a')
  first.close()
  const second = reopen()
  expect(second.has('/a')).toBe(false)
  second.finish()
})

test('half an entry of a killed process does not shift the next ones', () => {
  const first = open('half')
  first.add('/a')
  first.close()
  appendFileSync(pathOf('half'), 'xyz')
  const second = open('half')
  second.add('/b')
  second.close()
  const third = open('half')
  expect([third.has('/a'), third.has('/b')]).toEqual([true, true])
  third.finish()
})

test('an old or a foreign file is ignored', () => {
  const first = open('old')
  first.add('/a')
  first.close()
  const yesterday = Date.now() / 1000 - 25 * 3600
  utimesSync(pathOf('old'), yesterday, yesterday)
  const second = open('old')
  expect(second.has('/a')).toBe(false)
  second.close()
  writeFileSync(pathOf('old'), 'something else')
  const third = open('old')
  expect(third.has('/a')).toBe(false)
  third.finish()
})

test('a second daemon has a journal of its own, which the end of the first one may delete', () => {
  const [first, second] = [open('both'), open('both', 'v2')]
  first.add('/a')
  second.add('/b')
  first.add('/c')
  const next = open('both', 'v2')
  expect(['/a', '/b', '/c'].filter((key) => next.has(key))).toEqual(['/b'])
  first.finish()
  next.add('/d')
  next.close()
  expect(open('both', 'v2').has('/d')).toBe(false)
})
