import { expect, test } from 'bun:test'
import { openState } from '../../../db/state/open.ts'
import { ManualTime } from '../../../test/support/manual-time.ts'
import { quietLog } from '../../../test/support/quiet-log.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { settingRules } from '../../app.ts'
import { named } from '../../core/operations/names.ts'
import { createOperations } from '../../core/operations/registry.ts'
import { createSettings } from '../../core/settings/settings.ts'
import { createConditions, type Notice } from './conditions.ts'
import { watchJobs } from './jobs.ts'
import { createNoticeTexts } from './texts.ts'

test('a job that a killed process left is notified as failed, unless it was silent', () => {
  const state = openState(tempFolder('interrupted'))
  const time = new ManualTime()
  const settings = createSettings(state, time, settingRules)
  const begin = () => createOperations({ state, clock: time, log: quietLog, hub: { publish() {} } })
  const killed = begin()
  const run = () => Promise.withResolvers<never>().promise
  killed.submit({ type: 'cacheSizeScan', scope: 'bulk', ...named('cacheSize'), run })
  const silent = { isSilent: true, run }
  killed.submit({ type: 'gameImageFetch', scope: 'bulk', ...named('gameImageFetch'), ...silent })
  killed.submit({ type: 'prefillShelf', scope: 'bulk', ...named('prefillShelf'), run })
  const operations = begin()
  operations.recover()
  const raised: Notice[] = []
  const raise = (notice: Notice) => void raised.push(notice)
  // The rest is unused.
  const parts = { log: quietLog, operations, settings } as unknown as Parameters<
    typeof watchJobs
  >[0]
  watchJobs(parts, {
    conditions: createConditions(settings, raise),
    raise,
    isWanted: () => true,
    texts: createNoticeTexts(() => 'de'),
    lastCheck: () => null,
    isOutageNotified: () => false,
  })
  const text = 'Durch einen Neustart unterbrochen'
  expect(raised).toMatchObject([{ title: 'Fehlgeschlagen: Cache-Größe messen', text }])
  operations.endHeld()
  state.close()
  expect(raised.slice(1)).toMatchObject([{ text }])
})
