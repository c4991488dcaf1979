import { expect, test } from 'bun:test'
import { HistoryUnavailable } from '../../../db/history/history.ts'
import { openState } from '../../../db/state/open.ts'
import { ManualTime, settle } from '../../../test/support/manual-time.ts'
import { quietLog } from '../../../test/support/quiet-log.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { settingRules } from '../../app.ts'
import type { Operations } from '../../core/operations/contract.ts'
import { named } from '../../core/operations/names.ts'
import { createOperations } from '../../core/operations/registry.ts'
import { createSettings } from '../../core/settings/settings.ts'
import { createConditions, type Notice } from './conditions.ts'
import { watchJobs } from './jobs.ts'
import { createNoticeTexts } from './texts.ts'

function fixture() {
  const state = openState(tempFolder('interrupted'))
  const time = new ManualTime()
  const settings = createSettings(state, time, settingRules)
  const raised: Notice[] = []
  const raise = (notice: Notice) => void raised.push(notice)
  const begin = () =>
    createOperations({ state, clock: time, log: quietLog, hub: { publish() {} }, timers: time })
  const history = { status: () => ({ state: 'ready' }) }
  /** As a process does at its start; returns the check that follows those of the service. */
  const watch = (operations: Operations) =>
    watchJobs(
      // The rest is unused.
      { history, log: quietLog, operations, settings } as unknown as Parameters<
        typeof watchJobs
      >[0],
      {
        conditions: createConditions(settings, raise),
        raise,
        isWanted: () => true,
        texts: createNoticeTexts(() => 'de'),
        lastCheck: () => null,
        isOutageNotified: () => false,
      },
    )
  return { state, raised, begin, watch }
}

test('a job that a killed process left is notified as failed, unless it was silent', () => {
  const { state, raised, begin, watch } = fixture()
  const killed = begin()
  const run = () => Promise.withResolvers<never>().promise
  killed.submit({ type: 'cacheSizeScan', scope: 'bulk', ...named('cacheSize'), run })
  const silent = { isSilent: true, run }
  killed.submit({ type: 'gameImageFetch', scope: 'bulk', ...named('gameImageFetch'), ...silent })
  killed.submit({ type: 'prefillShelf', scope: 'bulk', ...named('prefillShelf'), run })
  const operations = begin()
  operations.recover()
  watch(operations)
  const text = 'Durch einen Neustart unterbrochen'
  expect(raised).toMatchObject([{ title: 'Fehlgeschlagen: Cache-Größe messen', text }])
  operations.endHeld()
  state.close()
  expect(raised.slice(1)).toMatchObject([{ text }])
})

test('a job that failed without the database is notified after a restart', async () => {
  const { state, raised, begin, watch } = fixture()
  const first = begin()
  watch(first)
  const run = () => Promise.reject(new HistoryUnavailable('no history'))
  const { operationId } = first.submit({
    type: 'backup',
    scope: 'bulk',
    ...named('backup'),
    run,
  })
  await settle()
  expect(first.get(operationId)).toMatchObject({ status: 'failed', error: 'no history' })
  const second = begin()
  second.recover()
  const check = watch(second)
  expect(raised).toEqual([])
  check()
  check()
  state.close()
  expect(raised).toMatchObject([{ text: 'Die Datenbank ist nicht verfügbar' }])
})
