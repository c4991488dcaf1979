import { expect, test } from 'bun:test'
import pino from 'pino'
import { RecentLog } from './recent-log.ts'

function logger() {
  const recent = new RecentLog()
  const options = { level: 'trace', base: undefined, timestamp: pino.stdTimeFunctions.isoTime }
  return { recent, log: pino(options, { write: (line: string) => recent.write(line) }) }
}
const all = { from: 'trace', search: '', limit: 10_000 } as const

test('keeps lines with their level, time, message and members', () => {
  const { recent, log } = logger()
  log.info('first')
  log.warn({ host: 'a.lan', size: 3 }, 'second')
  log.error({ err: new Error('boom') }, 'third')
  const lines = recent.read(all)
  expect(lines).toMatchObject([
    { sequence: 1, level: 'info', message: 'first', details: '' },
    { sequence: 2, level: 'warn', message: 'second', details: '{"host":"a.lan","size":3}' },
    { sequence: 3, level: 'error', message: 'third' },
  ])
  expect(lines[2]?.details).toContain('boom')
  expect(Math.abs((lines[0]?.at.getTime() ?? 0) - Date.now())).toBeLessThan(60_000)
})

test('filters by level and text, and returns the newest', () => {
  const { recent, log } = logger()
  log.debug('Alpha one')
  log.warn({ name: 'ALPHA' }, 'two')
  log.fatal('three')
  const messages = (query: Partial<Parameters<RecentLog['read']>[0]>) =>
    recent.read({ ...all, ...query }).map(({ message }) => message)
  expect(messages({ search: 'alpha' })).toEqual(['Alpha one', 'two'])
  expect(messages({ from: 'warn' })).toEqual(['two', 'three'])
  expect(messages({ from: 'fatal', search: 'two' })).toEqual([])
  expect(messages({ limit: 1 })).toEqual(['three'])
})

test('is bounded in lines and in their length', () => {
  const { recent, log } = logger()
  for (let n = 0; n < 1100; n++) log.info({ long: 'd'.repeat(5000) }, 'm'.repeat(5000))
  const lines = recent.read(all)
  expect([lines.length, lines[0]?.sequence]).toEqual([1000, 101])
  expect(lines[0]?.message).toHaveLength(501)
  expect(lines[0]?.details).toHaveLength(1001)
})

test('never holds the installation key, and ignores what is no line', () => {
  const { recent, log } = logger()
  const key = `larder_${'k'.repeat(43)}`
  log.info({ path: '/x', key }, `installation key created: ${key}`)
  recent.write('not json\n')
  recent.write('null\n')
  const [line, ...others] = recent.read(all)
  expect(others).toEqual([])
  expect(line?.message).toBe('installation key created: [secret]')
  expect(line?.details).toBe('{"path":"/x","key":"[secret]"}')
})
