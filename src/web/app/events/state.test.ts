import { expect, test } from 'bun:test'
import { orderEvents, stateOf } from './state.ts'

const now = new Date('2026-11-21T12:00:00Z')
const event = (name: string, from: string, to: string) => ({
  name,
  startTimeUtc: `2026-${from}T12:00:00Z`,
  endTimeUtc: `2026-${to}T12:00:00Z`,
})

test('running events first, then upcoming ones, then past ones', () => {
  const events = [
    event('long ago', '01-01', '01-02'),
    event('far', '12-24', '12-25'),
    event('running', '11-20', '11-22'),
    event('lately', '11-01', '11-02'),
    event('soon', '11-22', '11-23'),
  ]
  expect(orderEvents(events, now).map(({ name }) => name)).toEqual([
    'running',
    'soon',
    'far',
    'lately',
    'long ago',
  ])
})

test('an event runs from its first to its last moment, inclusive', () => {
  expect(stateOf(event('', '11-21', '11-22'), now)).toBe('active')
  expect(stateOf(event('', '11-20', '11-21'), now)).toBe('active')
})
