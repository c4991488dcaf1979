import { beforeAll, describe, expect, test } from 'bun:test'
import de from '../locales/de.work.json'
import en from '../locales/en.work.json'
import { setTexts, t } from '../locales/translate.ts'
import { outcomeText, signalText, stageText } from './stage-text.ts'

beforeAll(() => setTexts(en))

const textOf = (stageKey: string | null, context: object | null, message: string | null = null) =>
  stageText({ stageKey, context: context === null ? null : { ...context }, message })

test('log progress is shown with its figures', () => {
  const context = { mbProcessed: 12.5, mbTotal: 50, entriesProcessed: 4200, totalLines: 9000 }
  const text = textOf('signalr.logProcessing.progress', context, 'raw')
  expect(text).toContain('13.1 MB of 52.4 MB')
  expect(text).toContain('4,200')
  const done = { elapsed: 65_000, entriesProcessed: 7, linesProcessed: 9, terminalStatus: 'x' }
  expect(textOf('signalr.logProcessing.completedDetail', done)).toContain('1 min')
})

test("without figures, or with an unknown key, the server's message is shown", () => {
  expect(textOf('signalr.logProcessing.progress', null, 'reading')).toBe('reading')
  expect(textOf('signalr.other.thing', { a: 1 }, 'doing it')).toBe('doing it')
  expect(textOf('signalr.other.thing', null)).toBeNull()
  expect(textOf(null, null, '')).toBeNull()
})

test('common stages need no message', () => {
  expect(textOf('signalr.cacheClear.starting', null)).toBe(en['stage.starting'])
  expect(textOf('signalr.scheduledRun.statusCheck.error.fatal', null)).toBe(en['stage.fatal'])
  expect(textOf('signalr.cacheClear.complete', null, 'Removed 3 files')).toBe('Removed 3 files')
})

test('cache jobs report what they freed, to the byte', () => {
  const context = { filesDeleted: 1200, bytesFreed: 1_234_567_891, isHistoryPending: false }
  const text = textOf('signalr.gameRemove.complete', context)
  expect(text).toContain('1,234,567,891')
  expect(text).toContain('1.23 GB')
  expect(textOf('signalr.namedRemove.complete', { ...context, isHistoryPending: true })).toBe(
    `${text} ${en['stage.later']}`,
  )
  expect(textOf('signalr.cacheClear.complete', { filesDeleted: 2, bytesDeleted: 10 })).toContain(
    '10',
  )
  for (const [stage, bytes] of [
    ['serviceRemove', 'bytesFreed'],
    ['cacheClear', 'bytesDeleted'],
  ] as const) {
    const added = { filesDeleted: 4, [bytes]: 10, filesAdded: 3 }
    expect(textOf(`signalr.${stage}.complete`, added)).toEndWith(' · 3 files were added since')
  }
  const evicted = { downloadsRemoved: 9, downloadsAdded: 1 }
  expect(textOf('signalr.evictionRemove.complete', evicted)).toEndWith(
    ' · 1 download was evicted since',
  )
  expect(textOf('signalr.gameRemove.complete', {}, 'ended')).toBe('ended')
})

test('cache jobs report their progress and findings', () => {
  const far = { n: 3, total: 1000, directoriesScanned: 3, totalDirectories: 1000 }
  expect(textOf('signalr.serviceRemove.cache.file.progress', far)).toBe('3 of 1,000')
  const counted = { totalFiles: 5000, totalSize: '4.7 GB' }
  expect(textOf('signalr.cacheSizeScan.complete', counted)).toBe('5,000 files counted')
  expect(textOf('signalr.gameDetect.scan.inProgress', far)).toBe('3 of 1,000')
  const found = { totalGamesDetected: 14, newGamesCount: 2 }
  expect(textOf('signalr.gameDetect.complete.newGames', found)).toMatch(/14.*2/)
  const gone = { totalEvicted: 5, totalUnEvicted: 1 }
  expect(textOf('signalr.evictionScan.complete', gone)).toMatch(/5.*1/)
  expect(textOf('signalr.evictionRemove.complete', { downloadsRemoved: 8 })).toContain('8')
  expect(textOf('signalr.corruptionDetect.completeStructuralFull', { count: 1 })).toContain(
    '1 corrupted',
  )
  expect(textOf('signalr.corruptionRemove.complete', { files: 2 })).toBe('2 files deleted')
  for (const stage of ['complete', 'completeStructural']) {
    const outcome = { files: 2, alreadyMissing: 1, healed: 3 }
    expect(textOf(`signalr.corruptionRemove.${stage}`, outcome)).toBe(
      '2 files deleted · 1 was already gone · 3 are no longer corrupted and stay',
    )
  }
  expect(textOf('signalr.logRemoval.completeNoFiles', { linesRemoved: 0 })).toBe('0 lines removed')
})

test("a failure is shown in the server's words, an interruption in the page's", () => {
  const failed = { context: null, message: null, error: 'No room' }
  const type = 'logProcessing'
  expect(outcomeText({ ...failed, type, stageKey: 'signalr.x.error.fatal' })).toBe('No room')
  expect(outcomeText({ ...failed, type, stageKey: 'signalr.x.stale' })).toBe(en['stage.stale'])
  const other = { type: 'corruptionRemoval', stageKey: 'signalr.corruptionRemove.stale' }
  expect(outcomeText({ ...failed, ...other })).toBe('No room')
  const done = { ...failed, error: null, type, stageKey: 'signalr.x.starting' }
  expect(outcomeText(done)).toBe(en['stage.starting'])
})

describe("in the reader's language", () => {
  beforeAll(() => setTexts(de))

  test.each([
    [
      'signalr.scheduledRun.statusCheck.complete',
      { resolvedDomains: 0, totalDomains: 126 },
      '0 von 126 Domains führen zum Cache',
    ],
    ['signalr.statusCheck.checking', { completedDomains: 3, totalDomains: 126 }, '3 von 126'],
    [
      'signalr.depotMapping.finalized',
      { totalMappings: 10, downloadsUpdated: 0 },
      '10 Zuordnungen; 0 Downloads haben einen anderen Namen bekommen',
    ],
    [
      'signalr.depotMapping.github.complete',
      { totalMappings: 7, downloadsUpdated: 2 },
      '7 Zuordnungen; 2 Downloads haben einen anderen Namen bekommen',
    ],
    ['signalr.depotMapping.scan.skippedFullRequired', null, de['stage.fullNeeded']],
    [
      'signalr.depotMapping.skippedAlphaUnreachable',
      { errorDetail: 'no servers' },
      'Verbindung zu Steam fehlgeschlagen: no servers',
    ],
    ['signalr.scheduledRun.scheduledPrefill.skipped', null, de['stage.prefillSkipped']],
    ['signalr.scheduledRun.logRotation.complete', null, de['stage.proxySignalled']],
    [
      'signalr.scheduledRun.logRotation.skipped',
      { detail: 'no nginx was found' },
      `${de['stage.proxyNotSignalled']}: no nginx was found`,
    ],
  ])('%s', (stageKey, context, text) => {
    expect(textOf(stageKey, context, 'In English')).toBe(text)
  })

  test.each([
    [{ reason: 'needsLogin' }, de['stage.prefillLogin']],
    [
      { reason: 'failed', failures: [{ schedule: null, reason: 'Prefill stalled (no progress)' }] },
      'Das Prefill ist gescheitert: es ging zu lange nicht voran',
    ],
    [
      {
        reason: 'failed',
        failures: [
          { schedule: 'Steam', reason: 'Exceeded maximum service runtime' },
          { schedule: 'Xbox', reason: 'status 503' },
        ],
      },
      'Mindestens ein Dienst ist beim Prefill gescheitert: ' +
        'Steam: der Lauf dauerte länger als erlaubt; Xbox: status 503',
    ],
    [null, 'In English'],
  ])('a scheduled prefill that failed: %p', (context, text) => {
    const stageKey = 'signalr.scheduledRun.scheduledPrefill.error.fatal'
    const failed = { type: 'scheduledPrefill', stageKey, message: null, error: 'In English' }
    expect(outcomeText({ ...failed, context })).toBe(text)
  })

  test('a prefill that failed says why, also behind the name of its platform', () => {
    const failed = { type: 'prefillShelf', stageKey: null, message: null, context: null }
    const text = outcomeText({ ...failed, error: 'Epic Games: Prefill failed' })
    expect(text).toBe(`Epic Games: ${t('prefill.reasonFailed')}`)
  })

  test('a signal to the proxy', () => {
    expect(signalText(true, null)).toBe(de['stage.proxySignalled'])
    expect(signalText(false, null)).toBe(de['stage.proxyNotSignalled'])
  })
})
