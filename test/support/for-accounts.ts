import { expect } from 'bun:test'
import type { Browser } from './sign-in.ts'

/** A call for accounts only: a stranger gets 401 and the guest 403, both without a body. */
export async function expectForAccounts(guest: Browser, ...call: Parameters<Browser['send']>) {
  for (const [browser, status] of [
    [guest.stranger(), 401],
    [guest, 403],
  ] as const) {
    const response = await browser.send(...call)
    expect([response.status, await response.text()]).toEqual([status, ''])
  }
}
