import { expect, test } from 'bun:test'
import { reportApp } from '../../../test/support/report-app.ts'
import { notificationServer } from '../../../test/support/notification-server.ts'
import { eventually } from '../../../test/support/eventually.ts'
import { named } from '../../core/operations/names.ts'
import de from '../../web/locales/de.work.json'
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

test('troubles of the service are told in German', () => {
  expect(inGerman.trouble({ part: 'database', state: 'unavailable' })).toBe(
    'Die Datenbank ist nicht verfügbar.',
  )
  const folder = { part: 'folder', name: 'games', problem: 'missing_directory' } as const
  expect(inGerman.trouble(folder)).toBe('Der Protokollordner von games fehlt.')
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
