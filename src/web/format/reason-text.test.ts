import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { reasons } from '../../prefill/reasons.ts'
import { outcome } from '../../prefill/scheduled/outcomes.ts'
import prefill from '../locales/de.prefill.json'
import work from '../locales/de.work.json'
import { setTexts } from '../locales/translate.ts'
import { outcomeText, reasonText } from './reason-text.ts'

const de = { ...prefill, ...work }
beforeAll(() => setTexts(de))
afterAll(() => setTexts({}))

describe('in German', () => {
  test.each(Object.values(reasons))('%s', (reason) => {
    const text = reasonText(reason)
    expect(Object.values<string>(de)).toContain(text)
    expect(text).not.toBe(reason)
  })

  test('the limit of a stalled run keeps its number', () => {
    const text = reasonText('Prefill stalled: no bytes transferred for 180 seconds.')
    expect(text).toBe('180 Sekunden lang kamen keine Daten')
  })

  test('an unknown reason is shown as it is', () => {
    expect(reasonText('Disk on fire')).toBe('Disk on fire')
    expect(reasonText('constructor')).toBe('constructor')
    const free = { message: 'daemon says no', messageKey: null, messageValues: {} }
    expect(outcomeText({ ...free, bytesDownloaded: 0 })).toBe('daemon says no')
  })

  test('an outcome has its values and its size', () => {
    const skipped = outcome('noSession', { platform: 'Steam' })
    const shown = outcomeText({
      message: skipped.text,
      messageKey: skipped.key,
      messageValues: skipped.values,
      bytesDownloaded: 0,
    })
    expect(shown).toBe('keine dauerhafte Sitzung für Steam läuft')
    const completed = { message: '', messageKey: 'completed', messageValues: {} } as const
    expect(outcomeText({ ...completed, bytesDownloaded: 2000 })).toMatch(/2.* kB geladen/)
  })
})
