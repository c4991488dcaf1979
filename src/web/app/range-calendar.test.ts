import { afterEach, expect, test } from 'bun:test'
import { setClock } from '../format/times.ts'
import { startTranslation } from '../locales/translate.ts'
import { periodBefore, periodOf, type Span } from './range.ts'

const quarter = 900
const weekdays = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']

/** Zones whose clock changes at midnight, by half an hour, never, or far from UTC. */
const zones = [
  'Europe/Berlin',
  'America/New_York',
  'America/Santiago',
  'America/Havana',
  'Asia/Beirut',
  'Africa/Cairo',
  'Asia/Amman',
  'Australia/Lord_Howe',
  'Asia/Kathmandu',
  'Pacific/Kiritimati',
]

afterEach(() => setClock({}))

interface Day {
  date: string
  weekday: string
}

/** Quarters of an hour from `from` on with the date on the wall, by `Intl` alone. */
function calendarOf(timeZone: string, from: number, to: number): { at: number; day: Day }[] {
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    weekday: 'short',
  })
  const quarters = []
  for (let at = from; at <= to; at += quarter) {
    const parts = Object.fromEntries(
      format.formatToParts(at * 1000).map(({ type, value }) => [type, value]),
    )
    const { year, month, day, weekday = '' } = parts
    quarters.push({ at, day: { date: `${year}-${month}-${day}`, weekday } })
  }
  return quarters
}

/** Where runs of quarters with the same key begin, the newest first. */
function starts(quarters: { at: number; day: Day }[], key: (day: Day) => unknown): number[] {
  return quarters
    .filter(({ day }, at) => at > 0 && key(day) !== key(quarters[at - 1]?.day ?? day))
    .map(({ at }) => at)
    .toReversed()
}

/** Moments around both changes of the clock of a year, and others. */
function moments(timeZone: string): Date[] {
  const offsetAt = (ms: number) =>
    new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' })
      .formatToParts(ms)
      .find(({ type }) => type === 'timeZoneName')?.value
  const year = Array.from({ length: 365 }, (_, day) => Date.UTC(2025, 0, 1 + day))
  const changes = year.filter((ms) => offsetAt(ms) !== offsetAt(ms + 86_400_000))
  const around = changes.flatMap((ms) => [0.4, 0.9, 1.7, 3.2].map((days) => ms + days * 86_400_000))
  return [...around, Date.UTC(2026, 0, 1, 3), Date.UTC(2026, 2, 1, 13)].map(
    (ms) => new Date(ms + 77_000),
  )
}

test.each(zones)('calendar spans agree with the clock on the wall in %s', (timeZone) => {
  setClock({ timeZone, hourCycle: 'h12' })
  for (const now of moments(timeZone)) {
    const end = Math.ceil(now.getTime() / 60_000) * 60
    const last = Math.floor(now.getTime() / 1000 / quarter) * quarter
    const quarters = calendarOf(timeZone, last - 64 * 86_400, last)
    const days = starts(quarters, ({ date }) => date)
    const weeks = days.filter((at) => quarters.find((one) => one.at === at)?.day.weekday === 'Sun')
    const months = starts(quarters, ({ date }) => date.slice(0, 7))
    const running = (span: Span, [start = 0, before = 0]: number[]) => {
      expect(periodOf({ span }, now)).toEqual({ startTime: start, endTime: end })
      expect(periodBefore({ span }, now)).toEqual({
        startTime: before,
        endTime: Math.min(before + end - start, start - 1),
      })
    }
    running('today', days)
    running('week', weeks)
    running('month', months)
    const [today = 0, yesterday = 0, dayBefore = 0] = days
    expect(periodOf({ span: 'yesterday' }, now)).toEqual({
      startTime: yesterday,
      endTime: today - 1,
    })
    expect(periodBefore({ span: 'yesterday' }, now)).toEqual({
      startTime: dayBefore,
      endTime: yesterday - 1,
    })
  }
})

test.each([
  ['de-DE', 'Mon'],
  ['en-US', 'Sun'],
  ['en-GB', 'Mon'],
])('in %s, a week begins with %s', async (language, weekday) => {
  const before = [globalThis.localStorage, globalThis.document, globalThis.navigator]
  const stand = (localStorage: unknown, document: unknown, navigator: unknown) =>
    Object.entries({ localStorage, document, navigator }).forEach(([name, value]) =>
      Object.defineProperty(globalThis, name, { value, configurable: true, writable: true }),
    )
  const visit = async (languages: string[]) => {
    stand({ getItem: () => null }, { documentElement: {} }, { languages })
    await startTranslation()
  }
  await visit([language])
  setClock({ timeZone: 'UTC' })
  const period = periodOf({ span: 'week' }, new Date('2026-11-25T12:00:00Z'))
  await visit(['en'])
  stand(...(before as [unknown, unknown, unknown]))
  expect(weekdays[new Date((period?.startTime ?? 0) * 1000).getUTCDay()]).toBe(weekday)
})
