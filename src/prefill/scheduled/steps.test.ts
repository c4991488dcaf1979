import { describe, expect, test } from 'bun:test'
import { reasons } from '../reasons.ts'
import { outcome } from './outcomes.ts'
import { ended, type Part } from './steps.ts'

const part = (over: Partial<Part>): Part => ({
  state: 'completed',
  errorMessage: null,
  exceeded: null,
  seconds: 1,
  bytes: 0,
  ...over,
})
const kinds: Record<string, Part> = {
  downloaded: part({ bytes: 2048 }),
  current: part({}),
  partly: part({ bytes: 1024, failedApps: 2 }),
  allFailed: part({ state: 'failed', errorMessage: reasons.allFailed, failedApps: 3 }),
  lost: part({ state: 'failed', errorMessage: reasons.connectionLost, bytes: 512 }),
  stalled: part({ state: 'failed', errorMessage: 'x', exceeded: outcome('stalled') }),
  busy: part({ state: 'failed', errorMessage: 'busy', isBusy: true }),
  cancelled: part({ state: 'cancelled', bytes: 256 }),
}
const every = { selectedAppIds: [], force: false }
const of = (...names: string[]) => names.map((name) => kinds[name] as Part)

describe('the outcome of several accounts', () => {
  test.each([
    [['downloaded', 'downloaded'], 0, 'completed', 'completed', { size: '4 KiB' }],
    [['current', 'current'], 0, 'completed', 'upToDate', {}],
    [['downloaded', 'partly'], 0, 'completed', 'completedPartly', { size: '3 KiB', failed: 2 }],
    [['downloaded', 'allFailed'], 0, 'completed', 'completedPartly', { failed: 3 }],
    [['allFailed', 'allFailed'], 0, 'failed', null, {}],
    [['downloaded', 'lost'], 0, 'failed', null, {}],
    [['stalled', 'downloaded'], 0, 'failed', 'stalled', {}],
    [['downloaded'], 1, 'completed', 'completedSome', { size: '2 KiB', failed: 0, accounts: 1 }],
    [['downloaded', 'busy'], 1, 'completed', 'completedSome', { accounts: 2 }],
    [['busy', 'busy'], 0, 'skipped', 'busy', {}],
    [['downloaded', 'cancelled'], 0, 'cancelled', 'stopped', {}],
  ] as const)('%j, %d of them missing: %s', (...row) => {
    const [names, missing, stage, messageKey, messageValues] = row
    expect(ended(every, of(...names), missing)).toMatchObject({ stage, messageKey, messageValues })
  })

  test('has the bytes of all, does not depend on their order, and is that of one for one', () => {
    const names = Object.keys(kinds)
    for (const one of names) {
      for (const other of names) {
        const [there, back] = [ended(every, of(one, other), 0), ended(every, of(other, one), 0)]
        expect(there.stage).toBe(back.stage)
        const bytes = of(one, other).reduce((sum, each) => sum + each.bytes, 0)
        if (there.stage !== 'skipped') expect(there.bytesDownloaded).toBe(bytes)
      }
      expect(ended(every, of(one), 0).stage).toBe(ended(every, of(one, one), 0).stage)
    }
  })
})
