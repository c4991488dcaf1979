import { afterEach, expect, test } from 'bun:test'
import { inputValue, setClock } from '../format/times.ts'
import { addDays, dayOf } from './events/month.ts'
import { wholeDays } from './range-panel.tsx'

afterEach(() => setClock({}))

test.each(['Europe/Berlin', 'America/Santiago', 'Australia/Lord_Howe', 'Pacific/Kiritimati'])(
  'two days of a month are whole days of the chosen clock in %s, in either order',
  (timeZone) => {
    setClock({ timeZone })
    const start = dayOf('2026-03-01') ?? new Date()
    for (let days = 0; days < 300; days++) {
      const [one, other] = [addDays(start, days), addDays(start, days + (days % 40))]
      const { from, to } = wholeDays(one, other)
      expect(wholeDays(other, one)).toEqual({ from, to })
      const shown = [from, from - 1, to, to + 1].map((at) => inputValue(new Date(at * 1000)))
      const [first = '', before = '', last = '', after = ''] = shown.map((text) =>
        text.slice(0, 10),
      )
      expect(before < first && after > last).toBe(true)
      expect(last >= first).toBe(true)
      const lengths = Math.round((to - from) / 86_400)
      expect(lengths).toBe((days % 40) + 1)
    }
  },
)
