import { describe, expect, test } from 'bun:test'
import { Glob } from 'bun'
import { settingRules } from '../../app.ts'
import type { SettingKey } from '../../core/settings/rules.ts'
import de from '../locales/de.controls.json'
import en from '../locales/en.controls.json'
import { controlIds, controls, type ControlId } from './controls.ts'
import { matching } from './matching.ts'

const web = `${import.meta.dir}/..`
const sources = await Promise.all(
  [...new Glob('pages/**/*.{ts,tsx}').scanSync(web)].map(async (path) => ({
    path,
    text: await Bun.file(`${web}/${path}`).text(),
  })),
)

/** Settings of the service, and members of them, whose defaults the dashboard shows. */
const stored: Partial<Record<ControlId, SettingKey | `${SettingKey}:${string}`>> = {
  'guests.rateLock': 'guest.isRefreshRateLocked',
  'guests.sharp': 'guest.preferences:sharpCorners',
  'guests.mayPrefill': 'guest.prefill.alpha:enabledByDefault',
  'names.look': 'clients.hasHostnames',
  'names.guests': 'clients.showsHostnamesToGuests',
  'logs.retentionOn': 'logs.retention:isEnabled',
  'logs.compress': 'logs.retention:compresses',
  'backup.keep': 'backup.keep',
  'notify.service': 'notifications.rules:service',
  'notify.dns': 'notifications.rules:dns',
  'notify.corruption': 'notifications.rules:corruption',
  'notify.signIns': 'notifications.rules:signIns',
  'notify.readiness': 'notifications.rules:readiness',
  'notify.disk': 'notifications.rules:diskDays',
  'updates.allowed': 'updates.isAllowed',
  'memory.collects': 'memory.collects',
  'memory.threshold': 'memory.thresholdMib',
  'metrics.games': 'metrics.gameLimit',
  'evicted.prune': 'eviction.prunesOrphans',
  'retention.undoHours': 'retention.undoHours',
  'retention.sparedDays': 'retention.sparedDays',
  'prefill.validity': 'prefill.validityDays',
  'prefill.pause': 'prefill.bandwidth:isPaused',
  'prefill.force': 'prefill.schedule:alpha.force',
}

/** The default of a setting of the service, or of a member of it. */
function storedDefault(stored: string): unknown {
  const [key = '', path = ''] = stored.split(':')
  const { fallback }: { fallback: unknown } = settingRules[key as SettingKey] // typed by `controls`
  const members = path.split('.').filter(Boolean)
  return members.reduce<unknown>((value, name) => Object(value)[name], fallback)
}

test('every setting is shown in exactly one place', () => {
  const places = controlIds.map((id) => {
    // In a table of settings, or as the property of one.
    const form = new RegExp(`(\\[|id=)['"]${id.replaceAll('.', '\\.')}['"]`)
    return { id, paths: sources.filter(({ text }) => form.test(text)).map(({ path }) => path) }
  })
  expect(places.filter(({ paths }) => paths.length !== 1)).toEqual([])
})

test.each(controlIds.filter((id) => id in stored))(
  'the default of %s is that of the service',
  (id) => {
    const { default: standard } = controls[id]
    expect(storedDefault(stored[id] ?? '')).toBe(
      typeof standard === 'object' ? standard[1] : standard,
    )
  },
)

describe.each([
  ['English', en],
  ['German', de],
] as const)('in %s', (_name, texts) => {
  const entries = controlIds.map((id) => ({
    id,
    label: texts[id],
    words: `${texts[`${id}.effect`]} ${texts[`${id}.words`]}`,
  }))

  test('no two settings have the same name', () => {
    const names = entries.map(({ label }) => label)
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
  })

  test('the palette finds every setting by its name and by each synonym', () => {
    for (const { id, label } of entries) {
      expect(matching(entries, label)[0]).toHaveProperty('label', label)
      for (const word of texts[`${id}.words`].split(', ')) {
        expect(matching(entries, word).map((entry) => entry.id)).toContain(id)
      }
    }
  })

  test('every effect is a sentence', () => {
    for (const { id } of entries) expect(texts[`${id}.effect`]).toMatch(/^\p{Lu}.{15,}[.)]$/u)
  })
})
