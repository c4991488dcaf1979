import { describe, expect, test } from 'bun:test'
import { clientName, platformOf, serviceName, speedName, titleOf } from './services.ts'
import {
  bytePair,
  byteText,
  changeText,
  percentText,
  percentTick,
  rateText,
  share,
} from './numbers.ts'
import { setTexts } from '../locales/translate.ts'
import {
  agoText,
  clockText,
  dayText,
  durationText,
  elapsedText,
  fullMomentText,
  inputValue,
  isHalfDay,
  lagText,
  momentOf,
  momentText,
  periodText,
  setClock,
  timeText,
} from './times.ts'
import { dayInputText, parseDay, parseTime } from './typed-times.ts'

describe('bytes', () => {
  test.each([
    [0, '0 B'],
    [999, '999 B'],
    [999.6, '1.00 kB'],
    [1000, '1.00 kB'],
    [9_996, '10.0 kB'],
    [99_960, '100 kB'],
    [999_499, '999 kB'],
    [999_500, '1.00 MB'],
    [1.84e12, '1.84 TB'],
    [148.2e9, '148 GB'],
    [5e20, '500 EB'],
    [-5, '0 B'],
  ])('%d bytes are %s', (bytes, text) => expect(byteText(bytes)).toBe(text))

  test('a speed is never shown in plain bytes, nor as 0 while it is not', () => {
    expect(rateText(0)).toBe('0 MB/s')
    expect(rateText(120)).toBe('0.12 kB/s')
    expect(rateText(4)).toBe('0.01 kB/s')
    expect(rateText(112.4e6)).toBe('112 MB/s')
  })
})

describe('percent', () => {
  test('is rounded, but never to 0 or 100', () => {
    expect(percentText(87.26)).toBe('87 %')
    expect(percentText(100)).toBe('100 %')
    expect(percentText(99.97)).toBe('99.9 %')
    expect(percentText(0.02)).toBe('0.1 %')
    expect(percentText(0)).toBe('0 %')
    expect(percentText(251.3)).toBe('251 %')
  })

  test('steps of half a per cent at an axis differ', () => {
    expect([0, 0.5, 1, 20].map(percentTick)).toEqual(['0 %', '0.5 %', '1 %', '20 %'])
  })

  test('shares and changes', () => {
    expect(share(1, 4)).toBe(25)
    expect(share(1, 0)).toBe(0)
    expect(changeText(12.4)).toBe('+12 %')
    expect(changeText(0)).toBe('0 %')
  })
})

test('whole days have no times, whether they end at midnight or a minute before', () => {
  setTexts({ 'time.allDay': '{day}, all day' })
  const text = (from: Date, to: Date) => periodText(from, to, new Date(2026, 10, 25, 12))
  const first = new Date(2026, 10, 22)
  expect(text(first, new Date(2026, 10, 23))).toBe('Nov 22, all day')
  expect(text(first, new Date(2026, 10, 22, 23, 59))).toBe('Nov 22, all day')
  expect(text(first, new Date(2026, 10, 24))).toBe('Nov 22 – Nov 23')
  expect(text(first, new Date(2026, 10, 24, 9, 30))).toMatch(/^Nov 22, 12:00.* – Nov 24, 9:30/)
  expect(text(new Date(2025, 11, 31), new Date(2026, 0, 1))).toBe('Dec 31, 2025, all day')
  setTexts({})
})

describe('times', () => {
  const now = new Date('2026-11-21T12:00:00Z')
  const before = (seconds: number) => agoText(new Date(now.getTime() - seconds * 1000), now)

  test('one unit that fits', () => {
    expect(before(240)).toBe('4 min')
    expect(before(2 * 3600 + 1)).toBe('2 hr')
    expect(before(30 * 86_400)).toBe('30 days')
    expect(before(100 * 86_400)).toContain('2026')
  })

  test("a moment of today has no day; another year's has its year; the zone is the clock's", () => {
    setClock({ timeZone: 'Asia/Tokyo', hourCycle: 'h23' })
    // 21:00 in Tokyo, where the day began at 15:00 UTC of the day before.
    const text = (at: string) => momentText(new Date(at), now)
    expect(text('2026-11-20T15:30:00Z')).toBe('00:30')
    expect(text('2026-11-20T14:30:00Z')).toMatch(/20.*23:30|Nov.*23:30/)
    expect(text('2025-11-20T14:30:00Z')).toContain('2025')
    expect(fullMomentText(now)).toContain('GMT+9')
    // Where the service keeps a month, its first day is the same for everyone.
    const midnight = new Date('2027-02-28T11:00:00Z')
    expect([dayText(midnight), dayText(midnight, 'Pacific/Auckland')]).toEqual(['Feb 28', 'Mar 1'])
    setClock({})
  })

  test('what is typed in any zone is the moment that is shown, and times read as they are typed', () => {
    const zones = ['UTC', 'Europe/Berlin', 'America/St_Johns', 'Asia/Tokyo', 'Pacific/Kiritimati']
    for (const timeZone of zones) {
      for (const hourCycle of ['h23', 'h12'] as const) {
        setClock({ timeZone, hourCycle })
        // Every 7 hours and 11 minutes of a year, with its changes of the clock.
        for (let minute = 0; minute < 366 * 1440; minute += 431) {
          const at = new Date(Date.UTC(2026, 0, 1) + minute * 60_000)
          const typed = inputValue(at)
          expect(inputValue(momentOf(typed))).toBe(typed)
          const [, time = ''] = typed.split('T')
          expect(parseTime(timeText(time))).toBe(time)
          expect(timeText(time)).toBe(clockText(at).padStart(timeText(time).length, '0'))
        }
        expect(isHalfDay()).toBe(hourCycle === 'h12')
      }
    }
    setClock({ timeZone: 'Asia/Tokyo', hourCycle: 'h23' })
    expect(inputValue(now)).toBe('2026-11-21T21:00')
    expect(momentOf('2026-11-21T21:00')).toEqual(now)
    expect(momentOf('T21:00').getTime()).toBeNaN()
    setClock({})
  })

  test('days are typed as they are shown, or as in ISO 8601', () => {
    for (let at = Date.UTC(2024, 0, 1); at < Date.UTC(2028, 0, 1); at += 86_400_000) {
      const iso = new Date(at).toISOString().slice(0, 10)
      expect(parseDay(dayInputText(iso))).toBe(iso)
      expect(parseDay(iso)).toBe(iso)
    }
    const refused = ['', '2026', '2026-02-30', '1/2', '13/13/2026', '0/0/0', 'a.b.c']
    expect(refused.map(parseDay)).toEqual(refused.map(() => null))
    expect(dayInputText('')).toBe('')
  })

  test('times of day may be typed in short', () => {
    const read = ['9', '9:30', '0930', '21.30', '9:30 pm', '12 am', '12:05 PM', '9 p.m.', '23:59']
    expect(read.map(parseTime).join(' ')).toBe(
      '09:00 09:30 09:30 21:30 21:30 00:00 12:05 21:00 23:59',
    )
    const refused = ['', '24', '9:60', '13 pm', '0 am', 'nine', '9:3', '12345', '-1']
    expect(refused.map(parseTime)).toEqual(refused.map(() => null))
  })

  test('moments since a start never share a label', () => {
    const halfDays = Array.from({ length: 9 }, (_, index) => elapsedText(index * 43_200 + 43_200))
    expect(new Set(halfDays).size).toBe(9)
    expect(halfDays.slice(2, 6)).toEqual(['+36 hr', '+2 days', '+60 hr', '+3 days'])
  })

  test('durations and lags', () => {
    expect(durationText(45)).toBe('45 sec')
    expect(durationText(3600)).toBe('1 hr')
    expect(durationText(3600 + 12 * 60)).toBe('1 hr 12 min')
    expect(durationText(50 * 3600)).toBe('2 days')
    expect(durationText(-3)).toBe('0 sec')
    expect(lagText(420)).toBe('0.4s')
    expect(lagText(90_000)).toBe('1 min')
  })
})

test('names of services, titles and clients', () => {
  expect(serviceName('blizzard')).toBe('Battle.net')
  expect(serviceName('somecdn')).toBe('somecdn')
  expect(speedName('EA / Origin', 'origin')).toBe(serviceName('origin'))
  expect([speedName('Rust', 'steam'), speedName(null, 'wsus')]).toEqual(['Rust', 'Windows Update'])
  expect(serviceName('pathofexile')).toBe('Path of Exile')
  // A client may send any name.
  expect([serviceName('constructor'), platformOf('constructor')]).toEqual(['constructor', 'other'])
  expect(platformOf('EpicGames')).toBe('beta')
  expect(platformOf('somecdn')).toBe('other')
  expect(titleOf('xboxlive')).toBe('Xbox')
  expect(titleOf('Portal 2')).toBe('Portal 2')
  expect(clientName('10.0.0.1', 'Anna', { '10.0.0.1': 'pc' })).toBe('Anna')
  expect(clientName('10.0.0.1', null, { '10.0.0.1': 'pc' })).toBe('pc')
  expect(clientName('10.0.0.1', '', {})).toBe('10.0.0.1')
})

test('two amounts that would look the same are shown to the byte', () => {
  expect(bytePair(2_999_000, 3_000_000)).toEqual(['2,999,000 B', '3,000,000 B'])
  expect(bytePair(3_000_000, 3_000_000)).toEqual(['3.00 MB', '3.00 MB'])
  expect(bytePair(1000, 3_000_000)).toEqual(['1.00 kB', '3.00 MB'])
})
