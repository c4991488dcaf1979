import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { reasons } from '../../prefill/reasons.ts'
import { filled } from '../../core/lib/phrases.ts'
import { outcome, outcomeTexts, type OutcomeKey } from '../../prefill/scheduled/outcomes.ts'
import { progress } from '../../prefill/scheduled/steps.ts'
import { germanFailure, germanReasons } from '../../system/notifications/german-failures.ts'
// Jobs show these texts on every page, so that no other part is needed.
import de from '../locales/de.work.json'
import { setTexts } from '../locales/translate.ts'
import { outcomeText, reasonText } from './reason-text.ts'

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

  test.each(Object.keys(outcomeTexts) as OutcomeKey[])('%s with its values', (key) => {
    const values = { platform: 'Xbox', percent: 90, size: '2 GB', failed: 3, accounts: 1 }
    const text = filled(outcomeTexts[key], values)
    const shown = filled(de[`prefill.outcome.${key}`], values)
    expect([reasonText(text), reasonText(`Xbox: ${text}`)]).toEqual([shown, `Xbox: ${shown}`])
  })

  test.each(Object.keys(germanReasons))('a notification says the same: %s', (english) => {
    const error = `Epic Games: ${filled(english, { platform: 'Xbox', percent: 90, seconds: 180 })}`
    const sent = germanFailure({ type: 'prefillShelf', context: null, error })
    expect(sent).not.toBe(error)
    expect(sent).toBe(reasonText(error))
  })

  test('progress of a run has its game', () => {
    const open = { bytes: 1, totalBytes: 2 }
    const run = { finished: new Map(), totalApps: 3, finishedBytes: 0, open }
    const session = { id: 'x', run, currentAppName: 'Ant: Farm' }
    const nothing = { parts: 0, count: 1, games: 0, bytes: 0 }
    const chosen = { selectedAppIds: [], force: false }
    // The rest is unused.
    const of = (one: object) => progress(one as never, chosen, nothing)?.message ?? ''
    expect(reasonText(of(session))).toBe('Ant: Farm wird geladen (Spiel 1 von 3)')
    expect(reasonText(of({ ...session, run: { ...run, open: null } }))).toBe('0 von 3 Spielen')
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
