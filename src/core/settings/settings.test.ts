import { afterAll, describe, expect, test } from 'bun:test'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { openState } from '../../../db/state/open.ts'
import { ManualTime } from '../../../test/support/manual-time.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { settingRules } from '../../app.ts'
import { createSettings } from './settings.ts'

const time = new ManualTime()

const root = tempFolder('settings')
const state = openState(root)
afterAll(() => {
  state.close()
})

describe('settings', () => {
  test('have a default, survive a restart, and can be reset', () => {
    const settings = createSettings(state, time, settingRules)
    expect(settings.get('guest.durationHours')).toBeNull()
    expect(settings.isSet('guest.durationHours')).toBe(false)
    settings.set('guest.durationHours', 12)
    const later = createSettings(state, time, settingRules)
    expect(later.get('guest.durationHours')).toBe(12)
    expect(later.isSet('guest.durationHours')).toBe(true)
    later.set('guest.durationHours', null)
    expect(later.isSet('guest.durationHours')).toBe(false)
    expect(createSettings(state, time, settingRules).get('guest.durationHours')).toBeNull()
  })

  test('refuse an invalid form, and ignore a stored one', () => {
    const settings = createSettings(state, time, settingRules)
    expect(() => settings.set('guest.durationHours', 5000)).toThrow('guest.durationHours')
    state.sqlite.run(
      `INSERT INTO setting (key, value, updated_at) VALUES ('guest.isLocked', '"maybe"', 0)`,
    )
    expect(createSettings(state, time, settingRules).get('guest.isLocked')).toBe(false)
  })

  test('are not changed by mutating a value afterwards', () => {
    const settings = createSettings(state, time, settingRules)
    const value = { enabledByDefault: true, durationHours: 1, maxThreadCount: 4 }
    settings.set('guest.prefill.beta', value)
    value.durationHours = 3
    expect(settings.get('guest.prefill.beta').durationHours).toBe(1)
  })
})

test('are in a file closed to other users', () => {
  for (const name of ['state.sqlite', 'state.sqlite-wal']) {
    expect(statSync(join(root, name)).mode & 0o077).toBe(0)
  }
})
