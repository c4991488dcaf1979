import { expect, test } from 'bun:test'
import { testApp } from '../../../test/support/app.ts'
import { signInAs, signInGuest } from '../../../test/support/sign-in.ts'
import type { Savings } from './model.ts'

const path = '/api/ext/savings'
const unset: Savings = { lineMbitPerSecond: null, pricePerGb: null, currency: 'EUR' }

test('are unset, changed by administrators, and read by everyone', async () => {
  const app = await testApp()
  const [admin, guest] = [await signInAs(app, 'admin'), await signInGuest(app)]
  const read = async () => (await (await guest.get(path)).json()) as Savings
  expect(await read()).toEqual(unset)
  const wanted: Savings = { lineMbitPerSecond: 50.5, pricePerGb: 0.02, currency: 'CHF' }
  for (const [name, value] of [
    ['lineMbitPerSecond', 0],
    ['lineMbitPerSecond', -1],
    ['pricePerGb', 'free'],
    ['pricePerGb', 1e9],
    ['currency', 'eur'],
    ['currency', null],
  ] as const) {
    expect((await admin.put(path, { ...wanted, [name]: value })).status).toBe(400)
  }
  expect(await read()).toEqual(unset)
  expect((await admin.put(path, wanted)).status).toBe(200)
  expect(await read()).toEqual(wanted)
})
