import { expect, test } from 'bun:test'
import { moneyAmount, timeAmount } from '../format/converted.ts'
import { byteText } from '../format/numbers.ts'
import { savedWith } from './savings.ts'

test('an hour of a full line is an hour, and its bytes cost their gigabytes', () => {
  for (let mbit = 0.5; mbit < 1e6; mbit *= 3.7) {
    for (let hours = 0.1; hours < 1e4; hours *= 2.3) {
      // Bit by bit, as the line would have carried them.
      const bits = mbit * 1_000_000 * hours * 3600
      const { seconds, money } = savedWith(bits / 8, { lineMbitPerSecond: mbit, pricePerGb: 0.8 })
      expect(seconds).toBeCloseTo(hours * 3600, 3)
      expect((money ?? 0) / (bits / 10_000_000_000)).toBeCloseTo(1, 9)
    }
  }
})

test('what is not set is not shown', () => {
  expect(savedWith(1e9, { lineMbitPerSecond: null, pricePerGb: null })).toEqual({
    seconds: null,
    money: null,
  })
})

test.each([
  [0, '0 minutes'],
  [90, '1.5 minutes'],
  [3599, '60 minutes'],
  [3600, '1 hour'],
  [61_200, '17 hours'],
  [359_000, '100 hours'],
  [864_000, '10 days'],
])('%d seconds are %s', (seconds, text) => {
  const { value, unit } = timeAmount(seconds)
  expect(`${value} ${unit}`).toBe(text)
})

test.each([
  [42.4, 'EUR', '42 EUR'],
  [3.456, 'EUR', '3.46 EUR'],
  [12_345, 'CHF', '12,345 CHF'],
  [9.999, 'USD', '10 USD'],
  [7, 'JPY', '7 JPY'],
])('%d %s are %s', (money, currency, text) => {
  const { value, unit } = moneyAmount(money, currency)
  expect(`${value} ${unit}`).toBe(text)
})

test('a saving names the bytes beside it', () => {
  const { seconds, money } = savedWith(763e9, { lineMbitPerSecond: 100, pricePerGb: 0.055 })
  const [time, price] = [timeAmount(seconds ?? 0), moneyAmount(money ?? 0, 'EUR')]
  expect([byteText(763e9), `${time.value} ${time.unit}`, `${price.value} ${price.unit}`]).toEqual([
    '763 GB',
    '17 hours',
    '42 EUR',
  ])
})
