import { afterEach, describe, expect, spyOn, test } from 'bun:test'
import { testApp } from '../../../test/support/app.ts'
import { ManualTime } from '../../../test/support/manual-time.ts'
import { publishedBy } from '../../../test/support/published-by.ts'
import { signInAs } from '../../../test/support/sign-in.ts'
import type { ClientGroup } from './model.ts'
import { GroupStore } from './store.ts'
import { bodyOf as json } from '../../../test/support/answers.ts'

const app = await testApp({ clock: new ManualTime() })
const user = await signInAs(app, 'user')
const events = publishedBy(app.hub)

afterEach(async () => {
  for (const { id } of await list()) await user.delete(`/api/client-groups/${id}`)
  events.length = 0
})

const path = '/api/client-groups'

const list = async () => json<ClientGroup[]>(await user.get(path))
const create = async (body: unknown) => json<ClientGroup>(await user.post(path, body), 200)

test('the statements of the list, which every overview reads, are prepared once', async () => {
  const built = spyOn(app.state.db, 'select')
  const groups = new GroupStore(app.state)
  const before = built.mock.calls.length
  expect([groups.all(), groups.all()]).toEqual([[], []])
  expect(built.mock.calls.length).toBe(before)
  built.mockRestore()
})

test('the life cycle of a group', async () => {
  const response = await user.post(path, {
    nickname: '  Living room ',
    description: ' the big one ',
    initialIps: ['10.0.0.7', '', ' ::ffff:10.0.0.5 ', '10.0.0.5', 'FD00::0001', null],
  })
  const { id, ...created } = await json<ClientGroup & { rejectedIps: string[] }>(response, 200)
  expect(response.headers.get('Location')).toBe(`${path}/${id}`)
  expect(created).toEqual({
    nickname: 'Living room',
    description: 'the big one',
    separateMemberRows: false,
    createdAtUtc: '2026-03-01T12:00:00.000000Z',
    updatedAtUtc: '2026-03-01T12:00:00.000000Z',
    memberIps: ['10.0.0.7', '10.0.0.5', 'fd00::1'],
    rejectedIps: [],
  })
  const { rejectedIps, ...plain } = created
  expect(rejectedIps).toEqual([])
  expect(await list()).toEqual([{ id, ...plain }])
  expect(await json(await user.get(`${path}/${id}`))).toEqual({ id, ...plain })
  expect(events).toEqual([{ event: 'ClientGroupCreated', data: { id, ...plain } }])
  events.length = 0

  const body = { nickname: 'Living room', description: null, separateMemberRows: true }
  const updated = await json<ClientGroup>(await user.put(`${path}/${id}`, body))
  expect(updated).toEqual({
    ...plain,
    id,
    description: null,
    separateMemberRows: true,
    // The clock stands still, yet the stamp changes.
    updatedAtUtc: '2026-03-01T12:00:00.000001Z',
  })
  expect(events).toEqual([{ event: 'ClientGroupUpdated', data: updated }])
  const entry = { groupId: id, nickname: 'Living room', separateMemberRows: true }
  const mapping = { '10.0.0.7': entry, '10.0.0.5': entry, 'fd00::1': entry }
  expect(await json(await user.get(`${path}/mapping`))).toEqual(mapping)

  const gone = await user.delete(`${path}/${id}`)
  expect([gone.status, await gone.text()]).toEqual([200, ''])
  expect(events.at(-1)).toEqual({ event: 'ClientGroupDeleted', data: id })
  expect((await user.get(`${path}/${id}`)).status).toBe(404)
  expect(await json(await user.get(`${path}/mapping`))).toEqual({})
  // Its addresses are available again.
  expect((await create({ nickname: 'Next', initialIps: ['10.0.0.7'] })).memberIps).toHaveLength(1)
})

test('groups are sorted by nickname, ignoring case', async () => {
  for (const nickname of ['beta', 'Alpha', 'gamma', 'Beta']) await create({ nickname })
  expect((await list()).map(({ nickname }) => nickname)).toEqual(['Alpha', 'Beta', 'beta', 'gamma'])
})

describe('invalid values', () => {
  test.each([
    [{}, 'Nickname'],
    [{ nickname: null }, 'Nickname'],
    [{ nickname: '   ' }, 'Nickname'],
    [{ nickname: 'a'.repeat(101) }, 'Nickname'],
    [{ nickname: 'a;b' }, 'Nickname'],
    [{ nickname: 'a', description: 'x'.repeat(501) }, 'Description'],
    [{ nickname: 'a', initialIps: ['10.0.0.1', 'pc.lan'] }, 'InitialIps[1]'],
    [{ nickname: 'a', initialIps: ['10.0.0.0/24'] }, 'InitialIps[0]'],
  ])('%j: the answer names %s', async (body, field) => {
    const refused = await json<{ error: string; errors: { field: string }[] }>(
      await user.post(path, body),
      400,
    )
    expect(refused.error).toBe('Validation failed')
    expect(refused.errors.map((fault) => fault.field)).toEqual([field])
    expect(await list()).toEqual([])
  })

  test('a nickname of other letters: the answer says which are allowed', async () => {
    const body = await json(await user.post(path, { nickname: 'Küche' }), 400)
    const message =
      'The nickname can contain only letters a to z, digits, spaces, hyphens and underscores'
    expect(body.errors).toEqual([{ field: 'Nickname', message }])
  })

  test('more than a thousand addresses', async () => {
    const initialIps = Array.from({ length: 1001 }, (_, n) => `10.1.${n >> 8}.${n & 255}`)
    const body = await json(await user.post(path, { nickname: 'a', initialIps }), 400)
    expect(body.errors).toEqual([
      { field: 'InitialIps', message: 'A group has at most 1000 addresses' },
    ])
    const group = await create({ nickname: 'a', initialIps: initialIps.slice(1) })
    expect(group.memberIps).toEqual(initialIps.slice(1))
  })

  test.each([[{ nickname: 5 }], [{ nickname: 'a', initialIps: '10.0.0.1' }], [[]], ['text']])(
    '%j is malformed',
    async (body) => {
      expect((await user.post(path, body)).status).toBe(400)
      expect(await list()).toEqual([])
    },
  )

  test('a nickname that is taken, compared exactly', async () => {
    await create({ nickname: 'Kitchen' })
    const other = await create({ nickname: 'kitchen' })
    const taken = await json(await user.post(path, { nickname: ' Kitchen' }), 400)
    expect(taken).toEqual({ error: 'Another client group has this nickname' })
    const body = { nickname: 'Kitchen', separateMemberRows: false }
    expect((await user.put(`${path}/${other.id}`, body)).status).toBe(400)
    expect((await user.put(`${path}/${other.id}`, { ...body, nickname: 'kitchen' })).status).toBe(
      200,
    )
  })

  test('a change without separateMemberRows', async () => {
    const { id } = await create({ nickname: 'a' })
    const refused = await json(await user.put(`${path}/${id}`, { nickname: 'b' }), 400)
    expect(refused.errors).toMatchObject([{ field: 'SeparateMemberRows' }])
  })

  test.each([
    ['PUT', '/999', { nickname: 'a', separateMemberRows: false }],
    ['PUT', '/999/members', { clientIps: [] }],
    ['DELETE', '/999', undefined],
    ['GET', '/999', undefined],
  ])('%s %s: not found', async (method, rest, body) => {
    const missing = await json(await user.send(method, path + rest, { body }), 404)
    expect(missing).toEqual({ error: 'Client group not found' })
  })
})

describe('addresses of other groups', () => {
  test('are rejected and stay in their group', async () => {
    const first = await create({ nickname: 'first', initialIps: ['10.0.0.1', '10.0.0.2'] })
    const second = await create({ nickname: 'second', initialIps: ['10.0.0.2', '10.0.0.3'] })
    expect(second).toMatchObject({ memberIps: ['10.0.0.3'], rejectedIps: ['10.0.0.2'] })
    const body = { clientIps: ['10.0.0.1', '10.0.0.9', '10.0.0.3'] }
    const saved = await json(await user.put(`${path}/${second.id}/members`, body))
    expect(saved).toMatchObject({
      group: { memberIps: ['10.0.0.9', '10.0.0.3'] },
      rejectedIps: ['10.0.0.1'],
    })
    expect(await json(await user.get(`${path}/${first.id}`))).toMatchObject({
      memberIps: ['10.0.0.1', '10.0.0.2'],
    })
  })

  test('if none remains, no group is created', async () => {
    await create({ nickname: 'first', initialIps: ['10.0.0.1'] })
    events.length = 0
    const body = { nickname: 'second', initialIps: ['::ffff:10.0.0.1'] }
    expect(await json(await user.post(path, body), 409)).toEqual({
      error: 'all-addresses-rejected',
      rejectedIps: ['10.0.0.1'],
    })
    expect((await list()).map(({ nickname }) => nickname)).toEqual(['first'])
    expect(events).toEqual([])
  })
})

describe('members', () => {
  test('are replaced in the given order; an empty list empties the group', async () => {
    const { id } = await create({ nickname: 'a', initialIps: ['10.0.0.1', '10.0.0.2'] })
    const members = `${path}/${id}/members`
    const clientIps = ['10.0.0.3', '10.0.0.2', ' ', '10.0.0.3']
    const saved = await json<{ group: ClientGroup }>(await user.put(members, { clientIps }))
    expect(saved.group.memberIps).toEqual(['10.0.0.3', '10.0.0.2'])
    expect(events.at(-1)).toEqual({ event: 'ClientGroupUpdated', data: saved.group })
    const emptied = await json(await user.put(members, { clientIps: [] }))
    expect(emptied).toMatchObject({ group: { memberIps: [] }, rejectedIps: [] })
  })

  test('invalid addresses change nothing', async () => {
    const { id } = await create({ nickname: 'a', initialIps: ['10.0.0.1'] })
    const body = { clientIps: ['10.0.0.2', 'nonsense'] }
    expect(await json(await user.put(`${path}/${id}/members`, body), 400)).toMatchObject({
      errors: [{ field: 'ClientIps[1]' }],
      invalidIps: ['nonsense'],
    })
    expect((await user.put(`${path}/${id}/members`, {})).status).toBe(400)
    expect((await list())[0]?.memberIps).toEqual(['10.0.0.1'])
  })
})

describe('concurrent changes', () => {
  test('the second editor gets what the first one changed', async () => {
    const group = await create({ nickname: 'a' })
    const own = `${path}/${group.id}`
    const expectedUpdatedAtUtc = group.updatedAtUtc
    const first = { nickname: 'b', separateMemberRows: false, expectedUpdatedAtUtc }
    const changed = await json<ClientGroup>(await user.put(own, first))
    for (const [rest, body] of [
      ['', { ...first, nickname: 'c' }],
      // Checked before the addresses.
      ['/members', { clientIps: ['nonsense'], expectedUpdatedAtUtc }],
    ] as const) {
      const refused = await json(await user.put(own + rest, body), 409)
      expect(refused).toEqual({ error: 'client-group-changed', currentGroup: changed })
    }
    const shifted = changed.updatedAtUtc?.replace('T12', 'T14').replace('Z', '+02:00')
    const body = { clientIps: ['10.0.0.1'], expectedUpdatedAtUtc: shifted }
    expect((await user.put(`${own}/members`, body)).status).toBe(200)
    expect((await user.put(`${own}/members`, body)).status).toBe(409)
    const unchecked = { clientIps: [], expectedUpdatedAtUtc: null }
    expect((await user.put(`${own}/members`, unchecked)).status).toBe(200)
  })

  test('a malformed stamp is refused', async () => {
    const { id } = await create({ nickname: 'a' })
    const body = { nickname: 'a', separateMemberRows: false, expectedUpdatedAtUtc: 'yesterday' }
    expect((await user.put(`${path}/${id}`, body)).status).toBe(400)
  })
})
