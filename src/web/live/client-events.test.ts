import { expect, test } from 'bun:test'
import { QueryClient } from '@tanstack/react-query'
import { keys } from '../api/keys.ts'
import { noteClientEvent } from './client-events.ts'

/** Which of these are old after an event, and whether it was taken note of. */
function after(event: string, data: unknown = null) {
  const queries = new QueryClient()
  const roots: (readonly string[])[] = [
    keys.clientGroups,
    keys.exclusions,
    keys.hostnames,
    keys.clients,
    keys.downloads,
  ]
  for (const root of roots) queries.setQueryData(root, 'held')
  const isNoted = noteClientEvent(queries, event, data)
  const stale = roots.filter((root) => queries.getQueryState(root)?.isInvalidated === true)
  return { isNoted, stale: stale.map((root) => root.join(' ')) }
}

test('groups and names make old what shows them', () => {
  const groups = { isNoted: true, stale: ['clientGroups', 'clients'] }
  expect(after('ClientGroupCreated', { id: 1 })).toEqual(groups)
  expect(after('ClientGroupDeleted', 1)).toEqual(groups)
  expect(after('ClientHostnamesChanged')).toEqual({
    isNoted: true,
    stale: ['hostnames', 'clients'],
  })
})

test('rules come with a refresh, which is somebody else’s as well', () => {
  expect(after('DownloadsRefresh', { reason: 'exclusions-updated' })).toEqual({
    isNoted: false,
    stale: ['exclusions'],
  })
  expect(after('DownloadsRefresh', { reason: 'shipped' })).toEqual({ isNoted: false, stale: [] })
  expect(after('DownloadsRefresh')).toEqual({ isNoted: false, stale: [] })
  expect(after('SomethingElse')).toEqual({ isNoted: false, stale: [] })
})
