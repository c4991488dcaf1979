import { beforeAll, expect, test } from 'bun:test'
import en from '../locales/en.json'
import { setTexts } from '../locales/translate.ts'
import { stageText } from './stage-text.ts'

beforeAll(() => setTexts(en))

const told = (stageKey: string | null, context: object | null, message: string | null = null) =>
  stageText({ stageKey, context: context === null ? null : { ...context }, message })

test('progress of the log is told with its figures', () => {
  const context = { mbProcessed: 12.5, mbTotal: 50, entriesProcessed: 4200, totalLines: 9000 }
  const text = told('signalr.logProcessing.progress', context, 'raw')
  expect(text).toContain('12.5 MB')
  expect(text).toContain('4,200')
  const done = { elapsed: 65_000, entriesProcessed: 7, linesProcessed: 9, terminalStatus: 'x' }
  expect(told('signalr.logProcessing.completedDetail', done)).toContain('1 min')
})

test('without the figures, or for a key nobody knows, the message of the server stands', () => {
  expect(told('signalr.logProcessing.progress', null, 'reading')).toBe('reading')
  expect(told('signalr.other.thing', { a: 1 }, 'doing it')).toBe('doing it')
  expect(told('signalr.other.thing', null)).toBeNull()
  expect(told(null, null, '')).toBeNull()
})

test('stages that every job has need no message', () => {
  expect(told('signalr.cacheClear.starting', null)).toBe(en['stage.starting'])
  expect(told('signalr.scheduledRun.statusCheck.error.fatal', null)).toBe(en['stage.fatal'])
  expect(told('signalr.cacheClear.complete', null, 'Removed 3 files')).toBe('Removed 3 files')
})
