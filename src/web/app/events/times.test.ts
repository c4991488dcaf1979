import { afterEach, expect, test } from 'bun:test'
import { seededRandom } from '../../../demo/random.ts'
import { setClock } from '../../format/times.ts'
import en from '../../locales/en.json' with { type: 'json' }
import { setTexts } from '../../locales/translate.ts'
import { addDays, barsOf, dayKey, dayOf, weeksOf } from './month.ts'
import { daysOf, spanText } from './times.ts'

const zones = [
  'UTC',
  'Europe/Berlin',
  'America/Los_Angeles',
  'Pacific/Kiritimati',
  'Pacific/Pago_Pago',
  'Asia/Kathmandu',
  // Changes its clock at midnight.
  'America/Santiago',
]
const hourMs = 3_600_000
const now = new Date('2026-06-15T12:00:00Z')

const browserZone = process.env['TZ']
setTexts(en)
afterEach(() => {
  setClock({})
  process.env['TZ'] = browserZone ?? 'UTC'
})

/** All pairs of a browser's zone and a chosen one. */
function inZones(check: (timeZone: string) => void): void {
  for (const browser of ['UTC', 'America/Santiago', 'Pacific/Kiritimati']) {
    process.env['TZ'] = browser
    for (const timeZone of zones) {
      setClock({ timeZone, hourCycle: 'h23' })
      check(timeZone)
    }
  }
}

/** The moment at which clocks of a zone show this; our own code is not asked. */
function momentIn(timeZone: string, day: string, time: string): string {
  const shown = new Intl.DateTimeFormat('sv', {
    timeZone,
    dateStyle: 'short',
    timeStyle: 'short',
  })
  const wanted = Date.parse(`${day}T${time}Z`)
  for (let quarter = -14 * 4; quarter <= 14 * 4; quarter++) {
    const at = new Date(wanted - (quarter * hourMs) / 4)
    if (shown.format(at) === `${day} ${time}`) return at.toISOString()
  }
  throw new Error(`${day} ${time} does not exist in ${timeZone}`)
}

const eventOf = (timeZone: string, start: [string, string], end: [string, string]) => ({
  startTimeUtc: momentIn(timeZone, ...start),
  endTimeUtc: momentIn(timeZone, ...end),
  startTimeLocal: start.join('T'),
  endTimeLocal: end.join('T'),
})

/** The days on which the calendar draws an event. */
function drawn(event: ReturnType<typeof eventOf>): string[] {
  const month = dayOf(event.startTimeUtc.slice(0, 7)) ?? now
  const dated = { ...event, ...daysOf(event) }
  const weeks = [
    ...weeksOf(month, 1),
    ...weeksOf(addDays(month, -1), 1),
    ...weeksOf(addDays(month, 40), 1),
  ]
  const days = weeks.flatMap((week) =>
    barsOf([dated], week, 3).bars.flatMap((bar) =>
      Array.from({ length: bar.days }, (_, at) => dayKey(week[bar.column + at] ?? now)),
    ),
  )
  return [...new Set(days)].toSorted()
}

test('a whole day stays that day in every zone, in the calendar and in the list', () => {
  for (const creator of zones) {
    for (const end of [
      ['2026-11-23', '00:00'],
      ['2026-11-22', '23:59'],
    ] as const) {
      const event = eventOf(creator, ['2026-11-22', '00:00'], [...end])
      inZones(() => {
        expect(drawn(event)).toEqual(['2026-11-22'])
        expect(spanText(event, now)).toContain('22')
        expect(spanText(event, now)).not.toMatch(/2[13]|:/)
      })
    }
  }
})

test('other events lie on the days that the list names, whatever the browser shows', () => {
  const random = seededRandom(7)
  for (let round = 0; round < 12; round++) {
    const start = Date.UTC(2026, 0, 1) + random.between(0, 365 * 24 * 4) * (hourMs / 4)
    const end = start + random.between(1, 60 * 4) * (hourMs / 4)
    const [startTimeUtc, endTimeUtc] = [new Date(start).toISOString(), new Date(end).toISOString()]
    // Only the moments are known.
    const event = {
      startTimeUtc,
      endTimeUtc,
      startTimeLocal: startTimeUtc,
      endTimeLocal: endTimeUtc,
    }
    inZones((timeZone) => {
      const dayIn = (ms: number) => new Intl.DateTimeFormat('sv', { timeZone }).format(ms)
      const wanted = new Set<string>()
      for (let at = start; at < end; at += hourMs / 4) wanted.add(dayIn(at))
      expect(drawn(event)).toEqual([...wanted].toSorted())
    })
  }
})

test('times of a clock that belong to other moments are not days of the event', () => {
  setClock({ timeZone: 'UTC' })
  const event = {
    startTimeUtc: '2026-11-20T10:00:00Z',
    endTimeUtc: '2026-11-20T12:00:00Z',
    startTimeLocal: '2026-11-25T00:00',
    endTimeLocal: '2026-11-26T00:00',
  }
  expect(daysOf(event)).toEqual({ first: '2026-11-20', last: '2026-11-20' })
})
