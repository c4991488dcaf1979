import { expect, test } from 'bun:test'
import { QueryClient, QueryObserver } from '@tanstack/react-query'
import type { EventName } from '../../core/live/events.ts'
import { eventually } from '../../../test/support/eventually.ts'
import { keys } from '../api/client.ts'
import { refreshAfter, refreshMissed } from './stale.ts'

const roots: readonly (readonly string[])[] = [
  keys.cache,
  keys.batch,
  keys.clientGroups,
  keys.clients,
  keys.exclusions,
  keys.hostnames,
  keys.images,
  keys.downloads,
  keys.sessions,
  keys.guests,
  keys.events,
  keys.config,
]

/** Queries that an event makes stale, and whether reports are refreshed. */
function after(event: EventName, data: unknown = null) {
  const queries = new QueryClient()
  for (const root of roots) queries.setQueryData(root, 'held')
  let hasRefreshed = false
  refreshAfter(queries, { event, data }, () => {
    hasRefreshed = true
  })
  const stale = roots.filter((root) => queries.getQueryState(root)?.isInvalidated === true)
  return { stale: stale.map(([root]) => root), hasRefreshed }
}

test('the end of a cache job makes the cache and the overview stale', () => {
  expect(after('GameDetectionComplete').stale).toEqual(['cache', 'batch'])
  expect(after('ServiceRemovalComplete').stale).toEqual(['cache', 'batch'])
  expect(after('CacheSizeScanStarted').stale).toEqual(['cache'])
})

test("progress makes nothing stale: the operation's event contains it", () => {
  expect(after('GameRemovalProgress')).toEqual({ stale: [], hasRefreshed: false })
  expect(after('SessionLastSeenUpdated')).toEqual({ stale: [], hasRefreshed: false })
})

test('a downloads refresh makes reports and the queries of its reason stale', () => {
  const refresh = (data: unknown) => after('DownloadsRefresh', data)
  expect(refresh({ reason: 'title-named' })).toEqual({ stale: ['cache'], hasRefreshed: true })
  expect(refresh({ reason: 'exclusions-updated' })).toEqual({
    stale: ['exclusions'],
    hasRefreshed: true,
  })
  expect(refresh({ reason: 'shipped' })).toEqual({ stale: [], hasRefreshed: true })
  expect(refresh(null)).toEqual({ stale: [], hasRefreshed: true })
  expect(after('LogProcessingComplete')).toEqual({ stale: [], hasRefreshed: true })
})

test('changed permissions make the cache and the configuration stale', () => {
  expect(after('DirectoryPermissionsChanged').stale).toEqual(['cache', 'config'])
})

test('groups and host names make the clients stale', () => {
  expect(after('ClientGroupCreated', { id: 1 }).stale).toEqual(['batch', 'clientGroups', 'clients'])
  expect(after('ClientGroupDeleted', 1).stale).toEqual(['batch', 'clientGroups', 'clients'])
  expect(after('ClientHostnamesChanged').stale).toEqual(['batch', 'clients', 'hostnames'])
})

test('new images of games are shown', () => {
  expect(after('GameImagesUpdated').stale).toEqual(['images'])
})

test('sessions, guests and events make their own lists stale', () => {
  expect(after('UserSessionRevoked').stale).toEqual(['sessions'])
  expect(after('BetaGuestPrefillConfigChanged').stale).toEqual(['guests'])
  expect(after('EventCreated').stale).toEqual(['events'])
})

test('what was read before the socket was open is read again once, but for lists that must not jump', () => {
  const queries = new QueryClient()
  const reads: string[] = []
  for (const queryKey of [...roots, [...keys.cache, 'eviction']]) {
    queries.setQueryData(queryKey, 'held')
    const queryFn = () => reads.push(queryKey.join(' '))
    new QueryObserver(queries, { queryKey, queryFn, staleTime: Infinity }).subscribe(() => {})
  }
  refreshMissed(queries, keys.reports)
  const once = roots.map((root) => root.join(' ')).filter((root) => root !== 'downloads')
  expect(reads.toSorted()).toEqual(['cache eviction', ...once].toSorted())
})

test('an answer that was on its way when the socket opened is read again', async () => {
  const queries = new QueryClient()
  const answers: ((text: string) => void)[] = []
  const queryFn = () => new Promise<string>((resolve) => void answers.push(resolve))
  new QueryObserver(queries, { queryKey: keys.events, queryFn }).subscribe(() => {})
  refreshMissed(queries)
  expect(answers).toHaveLength(1)
  answers[0]?.('before')
  await eventually(() => answers.length === 2, 'it is asked for again')
  answers[1]?.('after')
  await eventually(() => queries.getQueryData(keys.events) === 'after', 'it has the event')
  expect(answers).toHaveLength(2)
})
