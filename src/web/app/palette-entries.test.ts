import { afterAll, afterEach, describe, expect, test } from 'bun:test'
import contract from '../../../test/contract/contract.openapi.json' with { type: 'json' }
import { setClock } from '../format/times.ts'
import de from '../locales/de.json' with { type: 'json' }
import deAccess from '../locales/de.access.json' with { type: 'json' }
import deCache from '../locales/de.cache.json' with { type: 'json' }
import deCorruption from '../locales/de.corruption.json' with { type: 'json' }
import dePrefill from '../locales/de.prefill.json' with { type: 'json' }
import deWork from '../locales/de.work.json' with { type: 'json' }
import en from '../locales/en.json' with { type: 'json' }
import enAccess from '../locales/en.access.json' with { type: 'json' }
import enCache from '../locales/en.cache.json' with { type: 'json' }
import enCorruption from '../locales/en.corruption.json' with { type: 'json' }
import enPrefill from '../locales/en.prefill.json' with { type: 'json' }
import enWork from '../locales/en.work.json' with { type: 'json' }
import { daysSearch } from './days.ts'
import { matching } from './matching.ts'
import type { ActionId } from './palette-entries.ts'
import type { Reader } from './readers.ts'

// The client of the API, which the tables import with their hooks, reads the page's origin.
Object.assign(globalThis, { location: { origin: 'http://localhost' } })
const { actionEntries, actionIds, pageEntries } = await import('./palette-entries.ts')
const { readersOf } = await import('./readers.ts')

afterEach(() => setClock({}))
afterAll(() => void Reflect.deleteProperty(globalThis, 'location'))

const languages = {
  English: { ...en, ...enAccess, ...enCache, ...enCorruption, ...enPrefill, ...enWork },
  German: { ...de, ...deAccess, ...deCache, ...deCorruption, ...dePrefill, ...deWork },
}
const roles = {
  guest: { sessionType: 'guest', isMainAdmin: false, prefillEnabled: false },
  grantedGuest: { sessionType: 'guest', isMainAdmin: false, prefillEnabled: true },
  user: { sessionType: 'user', isMainAdmin: false, prefillEnabled: false },
  admin: { sessionType: 'admin', isMainAdmin: false, prefillEnabled: true },
  owner: { sessionType: 'admin', isMainAdmin: true, prefillEnabled: true },
} as const
/** The palette's length. */
const shownMax = 40

interface Found {
  id: string
  label: string
  words: string
}

const entriesIn = (texts: Record<string, string>, session?: (typeof roles)[keyof typeof roles]) => {
  const readers = readersOf(session ?? roles.owner)
  const pages = pageEntries.map((page) => ({ id: page.to, ...page }))
  const actions = actionIds.map((id) => ({ id, ...actionEntries[id] }))
  return [...pages, ...actions]
    .filter(({ reader }) => readers[reader])
    .map(({ id, label, words }): Found => ({
      id,
      label: texts[label] ?? label,
      words: texts[words ?? ''] ?? '',
    }))
}

describe.each(Object.entries(languages))('in %s', (_language, texts) => {
  test.each(Object.entries(roles))(
    'a %s finds each page and action by name, prefix and synonym',
    (_role, session) => {
      const entries = entriesIn(texts, session)
      const found = (typed: string) =>
        matching(entries, typed)
          .slice(0, shownMax)
          .map(({ id }) => id)
      for (const { id, label, words } of entries) {
        const named = entries.filter((entry) => entry.label === label).map((entry) => entry.id)
        expect(named).toContain(found(label)[0] ?? '')
        for (let length = 3; length <= label.length; length++) {
          expect(found(label.slice(0, length))).toContain(id)
        }
        for (const word of words.split(', ').filter(Boolean)) {
          expect({ word, found: found(word) }).toEqual({
            word,
            found: expect.arrayContaining([id]),
          })
          // Whoever types a whole synonym finds it before what only contains it.
          const at = found(word).indexOf(id)
          const before = entries.filter(
            (entry) =>
              entry.label.toLowerCase().startsWith(word.toLowerCase()) ||
              `, ${entry.words}, `.toLowerCase().includes(`, ${word.toLowerCase()}, `) ||
              entry.label
                .toLowerCase()
                .split(/[\s-]/)
                .some((part) => part.startsWith(word.toLowerCase())),
          )
          expect({ word, isNear: at < before.length }).toEqual({ word, isNear: true })
        }
      }
    },
  )

  test.each([
    ['slow', ['/cache/integrity', '/settings/status-check', '/downloads']],
    ['party', ['/events', '/prefill/ready', '/settings/guests']],
    ['kiosk', ['/settings/guests', '/settings/widgets']],
    ['share', ['/settings/guests', '/settings/widgets']],
    ['help', ['reference', 'shortcuts', '/settings/version']],
    ['ban', ['/prefill/sessions']],
    ['forecast', ['/cache']],
    ['disk full', ['/cache']],
    ['noisy', ['/settings/notifications', '/settings/schedules']],
    ['backup', ['/settings/backup', 'backup']],
    ['password', ['/settings/password', '/settings/accounts']],
  ])('“%s” leads to what people mean by it', (typed, wanted) => {
    const first = matching(entriesIn(texts), typed).slice(0, 6)
    expect(first.map(({ id }) => id)).toEqual(expect.arrayContaining(wanted))
  })
})

/** What the API asks for each action that changes something or starts a job. */
const calls: Partial<Record<ActionId, keyof typeof contract.paths>> = {
  clear: '/api/cache',
  'new-account': '/api/accounts',
  'new-group': '/api/client-groups',
  'new-event': '/api/events',
  'guest-sessions': '/api/sessions',
  'guest-lock': '/api/auth/guest/config/lock',
  'cache-scan': '/api/cache/size',
  'cache-detect': '/api/games/detect',
  'cache-evicted': '/api/stats/eviction/reconcile',
  'cache-check': '/api/cache/corruption/detect',
  'cache-misses': '/api/cache/corruption/detect',
  'run-schedules': '/api/system/schedules/run-all',
}

test('no role is offered what it may not do', () => {
  const readersOfPolicy: Record<string, readonly Reader[]> = {
    account: ['account', 'admin', 'owner'],
    owner: ['owner'],
  }
  for (const [id, path] of Object.entries(calls)) {
    // The contract says who may call it.
    const methods = Object.values(contract.paths[path]) as { 'x-policy'?: string }[]
    const policies = methods.map((method) => method['x-policy'] ?? '')
    const policy = policies.find((known) => known in readersOfPolicy) ?? ''
    // Written above.
    const { reader } = actionEntries[id as ActionId]
    expect(readersOfPolicy[policy], id).toContain(reader)
  }
  const guest = entriesIn(languages.English, roles.guest).map(({ id }) => id)
  expect(guest.filter((id) => id in calls)).toEqual([])
  const offered = (role: keyof typeof roles) =>
    new Set(entriesIn(languages.English, roles[role]).map(({ id }) => id))
  for (const [narrow, wide] of [
    ['guest', 'grantedGuest'],
    ['grantedGuest', 'user'],
    ['user', 'admin'],
    ['admin', 'owner'],
  ] as const) {
    expect([...offered(narrow)].filter((id) => !offered(wide).has(id))).toEqual([])
  }
  for (const id of ['backup', 'reference']) expect(offered('user').has(id)).toBe(false)
  expect(offered('admin').has('/settings/audit')).toBe(false)
})

test('days are those of the chosen zone', () => {
  const now = new Date('2026-11-25T02:30:20Z')
  const text = ({ start, end }: { start: number; end: number }) =>
    [start, end].map((at) => new Date(at * 1000).toISOString().slice(0, 16))
  setClock({ timeZone: 'America/New_York' })
  expect(text(daysSearch('today', now))).toEqual(['2026-11-24T05:00', '2026-11-25T02:31'])
  expect(text(daysSearch('yesterday', now))).toEqual(['2026-11-23T05:00', '2026-11-24T05:00'])
  // The clock has changed since.
  expect(text(daysSearch('month', now))).toEqual(['2026-11-01T04:00', '2026-11-25T02:31'])
})
