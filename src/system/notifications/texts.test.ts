import { expect, test } from 'bun:test'
import { reportApp } from '../../../test/support/report-app.ts'
import { notificationServer } from '../../../test/support/notification-server.ts'
import { eventually } from '../../../test/support/eventually.ts'
import { named } from '../../core/operations/names.ts'
import { treeProblems } from '../../engines/cache/index/problems.ts'
import deCache from '../../web/locales/de.cache.json'
import de from '../../web/locales/de.work.json'
import { germanTreeProblems } from './german-failures.ts'
import { germanJobNames } from './german-job-names.ts'
import { createNoticeTexts, noticeTexts } from './texts.ts'

const inGerman = createNoticeTexts(() => 'de')

const placeholders = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(String).sort()

test.each(Object.entries(noticeTexts))('%s needs the same values in both languages', (_, pair) => {
  const [english, german] = pair
  expect(german).not.toBe(english)
  expect(placeholders(german)).toEqual(placeholders(english))
})

test('jobs have the names that the dashboard shows in German', () => {
  const shown = Object.entries(de).filter(([key]) => key.startsWith('job.'))
  expect(Object.fromEntries(shown.map(([key, text]) => [key.slice(4), text]))).toEqual(
    germanJobNames,
  )
  expect(inGerman.job(named('cacheClearing', { datasource: 'games' }))).toBe(
    'Cache von games leeren',
  )
})

test('what a finished job says is in German, or left out', () => {
  const context = { totalMappings: 12, downloadsUpdated: 3, mode: 'full' }
  const job = {
    type: 'depotMapping',
    message: '12 mappings; 3 downloads got another name',
  } as const
  expect(inGerman.outcome({ ...job, context })).toBe('Zuordnungen: 12, neu benannte Downloads: 3')
  expect(createNoticeTexts(() => 'en').outcome({ ...job, context })).toBe(job.message)
  const signal = { type: 'logRotation', message: 'The proxy was signalled', context: null } as const
  expect(inGerman.outcome(signal)).toBe('')
})

test('reasons of failed jobs are in German, those from elsewhere as they are', () => {
  const shown = Object.entries(deCache).filter(([key]) => key.startsWith('index.problem.'))
  expect(Object.fromEntries(shown.map(([key, text]) => [key.slice(14), text]))).toEqual(
    germanTreeProblems,
  )
  const failure = (error: string) =>
    inGerman.failure({ type: 'gameDetection', context: null, error })
  // Each name of a value is its value.
  for (const [key, german] of Object.entries(germanTreeProblems)) {
    const english = treeProblems[key as keyof typeof treeProblems]
    const [found, text] = [english, german].map((one) => one.replaceAll(/[{}]/g, ''))
    expect(failure(`games: ${found}`)).toBe(`games: ${text}`)
    expect(failure(String(found))).toBe(String(text))
  }
  expect(failure('Game detection failed unexpectedly; see the service’s log')).toBe(
    'Unerwarteter Fehler; mehr steht im Protokoll von Larder',
  )
  expect(failure('127.0.0.1:80 answered with status 404')).toBe(
    '127.0.0.1:80 answered with status 404',
  )
  const prefill = (context: Record<string, unknown>) =>
    inGerman.failure({ type: 'scheduledPrefill', context, error: 'One or more services failed' })
  expect(prefill({ reason: 'needsLogin' })).toBe(de['stage.prefillLogin'])
  const failures = [
    { schedule: 'Steam', reason: 'Exceeded maximum service runtime' },
    { schedule: 'Xbox', reason: 'status 503' },
  ]
  const text = `Steam: ${de['prefill.outcome.overtime']}; Xbox: status 503`
  const failed = de['stage.prefillFailed'].replace('{failures}', text)
  expect(prefill({ reason: 'failed', failures })).toBe(failed)
})

test('a job that needs the database says in German that it is away', async () => {
  const app = await reportApp()
  await app.send('POST', '/api/ext/backups', 'admin')
  const failed = () => app.operations.recent({ limit: 9 })
  await eventually(() => failed().length === 1, 'the snapshot has failed')
  expect(failed().map((job) => inGerman.failure(job))).toEqual([
    'Die Datenbank ist nicht verfügbar',
  ])
})

test('troubles of the service are told in German', () => {
  expect(inGerman.trouble({ part: 'database', state: 'unavailable' })).toBe(
    'Die Datenbank ist nicht verfügbar.',
  )
  const folder = { part: 'folder', name: 'games', problem: 'missing_directory' } as const
  expect(inGerman.trouble(folder)).toBe('Der Protokollordner von games fehlt.')
  const logs = (state: 'mismatch' | 'storage_failed', reason: string) =>
    inGerman.trouble({ part: 'logs', state, reason })
  expect(logs('mismatch', 'attic: The history is empty')).toBe(
    'Protokolle werden nicht gelesen: attic: Leseposition und Verlauf passen nicht zusammen.',
  )
  expect(logs('storage_failed', 'disk I/O error')).toBe(
    'Protokolle werden nicht gelesen: disk I/O error.',
  )
})

test('messages are sent in the chosen language, English unless changed', async () => {
  const app = await reportApp()
  const server = notificationServer()
  const body = { name: 'phone', kind: 'webhook', url: server.url }
  const path = '/api/ext/notifications'
  await app.send('POST', `${path}/targets`, 'admin', body)
  expect(await app.read(path, 'admin')).toMatchObject({ language: 'en' })
  const fail = () =>
    app.operations.submit({
      type: 'cacheClearing',
      scope: 'games',
      ...named('cacheClearing', { datasource: 'games' }),
      run: () => Promise.resolve({ kind: 'failed', error: crypto.randomUUID() }),
    })
  fail()
  await eventually(() => server.received.length === 1, 'the English message')
  const answer = await app.send('PUT', `${path}/language`, 'admin', { language: 'de' })
  expect(answer.status).toBe(200)
  fail()
  await eventually(() => server.received.length === 2, 'the German message')
  expect(server.titles()).toEqual([
    'Clearing of the cache of games failed',
    'Fehlgeschlagen: Cache von games leeren',
  ])
  const refused = await app.send('PUT', `${path}/language`, 'admin', { language: 'fr' })
  expect(refused.status).toBe(400)
})
