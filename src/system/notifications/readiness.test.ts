import { expect, test } from 'bun:test'
import { reportApp } from '../../../test/support/report-app.ts'
import { createConditions, type Notice } from './conditions.ts'
import type { ReadyNews } from '../../core/lib/ready-news.ts'
import { notifyReadiness } from './readiness.ts'
import { createNoticeTexts } from './texts.ts'

const app = await reportApp()
const due = new Date('2026-11-27T17:00:00Z')
const calm: ReadyNews = {
  verdict: 'inTime',
  games: 3,
  dueAt: due,
  readyAt: new Date('2026-11-27T19:30:00Z'),
  signedOut: [],
  builds: [],
}

function fixture(language: 'en' | 'de' = 'en') {
  app.deps.settings.clear('notifications.conditions')
  const raised: Notice[] = []
  const texts = createNoticeTexts(() => language)
  /** Each time with conditions that were just read, as after a restart. */
  const tell = (news: Partial<ReadyNews>) => {
    const conditions = createConditions(app.deps.settings, (notice) => raised.push(notice))
    notifyReadiness({ ...calm, ...news }, { conditions, texts, timeZone: 'Europe/Berlin' })
  }
  return { raised, tell, titles: () => raised.map(({ title }) => title) }
}

test('the board notifies once of each state, and again after it was over', () => {
  const { tell, titles, raised } = fixture()
  tell({})
  expect(titles()).toEqual([])
  const late = 'The games will not be ready by 27 Nov 2026, 18:00'
  for (const verdict of ['late', 'late', 'unknown', 'late'] as const) tell({ verdict })
  expect(titles()).toEqual([late])
  expect(raised[0]).toMatchObject({ kind: 'gamesReady', isProblem: true })
  expect(raised[0]?.text).toBe('At the measured rate they are ready at 27 Nov 2026, 20:30.')
  tell({})
  tell({ verdict: 'late', readyAt: null })
  expect(raised.at(-1)?.text).toBe('It is not known when they will be ready.')
  tell({ verdict: 'noSpace' })
  tell({ verdict: 'ready' })
  tell({ verdict: 'ready' })
  const space = 'The games do not fit in the cache'
  expect(titles()).toEqual([late, late, space, 'All games are ready: 3'])
  expect(raised.at(-1)).toMatchObject({ isProblem: false })
})

test('a platform without a session counts when the games are due at a time', () => {
  const { tell, titles } = fixture()
  tell({ verdict: 'unknown', signedOut: ['Steam'], dueAt: null })
  expect(titles()).toEqual([])
  for (let times = 0; times < 2; times++) tell({ verdict: 'unknown', signedOut: ['Steam'] })
  const title = 'Games cannot be fetched: Steam needs a session that is signed in'
  expect(titles()).toEqual([title])
})

test('each build notifies once, with its size and who will want it', () => {
  const { tell, raised } = fixture('de')
  const build = { id: 'alpha 730', name: 'CS', at: due, bytes: 12 * 1024 ** 3, clients: 7 }
  tell({ builds: [build] })
  tell({ builds: [{ ...build, clients: 8 }] })
  tell({ builds: [] })
  tell({ builds: [{ ...build, at: new Date(due.getTime() + 1), bytes: null }] })
  expect(raised).toEqual([
    {
      kind: 'newBuild',
      isProblem: false,
      title: 'Neuer Build von CS',
      text: '12 GiB, für Clients: 7',
    },
    { kind: 'newBuild', isProblem: false, title: 'Neuer Build von CS', text: 'Für Clients: 7' },
  ])
})
