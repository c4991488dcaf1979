import { expect, test } from 'bun:test'
import type { ClientGroup, ClientStats } from '../../api/client-queries.ts'
import { clientRows, type TreeChoice, type TreeParts } from './tree.ts'

const stats = (clientIp: string, totalBytes: number, part: Partial<ClientStats> = {}) => ({
  clientIp,
  displayName: null,
  groupId: null,
  isGrouped: false,
  groupMemberIps: null,
  totalCacheHitBytes: totalBytes / 4,
  totalCacheMissBytes: (totalBytes * 3) / 4,
  totalBytes,
  cacheHitPercent: 25,
  totalDownloads: 1,
  totalDurationSeconds: 0,
  averageBytesPerSecond: 0,
  failedRequests: 0,
  lastActivityUtc: '2026-11-21T00:00:00Z',
  ...part,
})
const group: ClientGroup = {
  id: 3,
  nickname: 'Attic',
  description: null,
  separateMemberRows: false,
  createdAtUtc: '2026-11-20T00:00:00.000000Z',
  updatedAtUtc: '2026-11-20T00:00:00.000000Z',
  memberIps: ['10.0.0.3', '10.0.0.4', '10.0.0.5'],
}
const member = { groupId: 3, displayName: 'Attic' }
const parts: TreeParts = {
  totals: [
    stats('10.0.0.1', 5),
    stats('10.0.0.2', 90),
    stats('10.0.0.3', 7, { ...member, isGrouped: true, groupMemberIps: ['10.0.0.3', '10.0.0.4'] }),
  ],
  addresses: [
    stats('10.0.0.1', 5),
    stats('10.0.0.2', 90),
    stats('10.0.0.3', 4, member),
    stats('10.0.0.4', 3, member),
    stats('10.0.0.5', 1000, member),
    stats('10.0.0.8', 60),
    stats('10.0.0.9', 70),
  ],
  groups: [group],
  countings: new Map([
    ['10.0.0.5', 'exclude'],
    ['10.0.0.8', 'exclude'],
    ['10.0.0.9', 'hide'],
    ['10.0.0.77', 'hide'],
  ]),
  hostnames: { '10.0.0.2': 'desk.lan', '10.0.0.4': 'tv.lan' },
}
const named = (choice: Partial<TreeChoice> = {}) =>
  clientRows(parts, {
    sort: 'largest',
    search: '',
    show: 'all',
    open: new Set(),
    ...choice,
  }).map(({ name, isMember, counting }) =>
    `${isMember ? '- ' : ''}${name} ${counting === 'counted' ? '' : counting}`.trim(),
  )

test('groups are one row, uncounted clients are listed, hidden ones are not', () => {
  expect(named()).toEqual(['desk', '10.0.0.8 exclude', 'Attic', '10.0.0.1'])
  expect(named({ sort: 'smallest' })).toEqual(['10.0.0.1', 'Attic', '10.0.0.8 exclude', 'desk'])
  expect(named({ sort: 'name' })).toEqual(['10.0.0.1', '10.0.0.8 exclude', 'Attic', 'desk'])
})

test('an expanded group shows all its members below it, in the same order', () => {
  expect(named({ open: new Set([3]), show: 'groups' })).toEqual([
    'Attic',
    '- 10.0.0.5 exclude',
    '- 10.0.0.3',
    '- tv',
  ])
})

test('search covers addresses, host names and nicknames, and expands matching groups', () => {
  expect(named({ search: ' DESK' })).toEqual(['desk'])
  expect(named({ search: '0.0.1' })).toEqual(['10.0.0.1'])
  expect(named({ search: 'attic' })).toEqual(['Attic'])
  expect(named({ search: 'tv' })).toEqual(['Attic', '- tv'])
  expect(named({ search: '0.0.3' })).toEqual(['Attic', '- 10.0.0.3'])
  expect(named({ search: 'nobody' })).toEqual([])
})

test('excluded clients are listed with and without traffic', () => {
  expect(named({ show: 'left-out' })).toEqual([
    'Attic exclude',
    '10.0.0.9 hide',
    '10.0.0.8 exclude',
    '10.0.0.77 hide',
  ])
})

test('a group of one address is a client with a name, not a group', () => {
  const own: ClientGroup = { ...group, id: 4, nickname: 'Kitchen', memberIps: ['10.0.0.1'] }
  const rows = (choice: Partial<TreeChoice>) =>
    clientRows(
      {
        ...parts,
        groups: [group, own],
        totals: [
          ...parts.totals.slice(1),
          stats('10.0.0.1', 5, { groupId: 4, displayName: 'Kitchen', isGrouped: true }),
        ],
      },
      { sort: 'largest', search: '', show: 'all', open: new Set(), ...choice },
    )
  expect(rows({ search: 'kitchen' })).toMatchObject([
    { name: 'Kitchen', ip: '10.0.0.1', isGroup: false, isOpen: null },
  ])
  expect(rows({ show: 'groups' }).map(({ name }) => name)).toEqual(['Attic'])
})
