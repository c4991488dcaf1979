import { beforeEach, describe, expect, test } from 'bun:test'
import { testApp } from '../../../test/support/app.ts'
import { freshHistory } from '../../../test/support/postgres.ts'
import { signInAs, signInOwner } from '../../../test/support/sign-in.ts'
import { bodyOf } from '../../../test/support/answers.ts'

const history = await freshHistory()
const app = await testApp({ history, isIndexing: true })
const owner = await signInOwner(app)
const user = await signInAs(app, 'user')
beforeEach(() => void app.state.sqlite.run('DELETE FROM retention_rule'))

const read = async <T>(response: Promise<Response>, status = 200) =>
  bodyOf<T>(await response, status)

const addRule = (rule: object) =>
  read<{ id: string }>(
    owner.post('/api/ext/retention/rules', { name: 'test', isEnabled: true, ...rule }),
    201,
  )

describe('rules', () => {
  test('are stored in order, changed and deleted', async () => {
    const one = await addRule({ name: ' One ', condition: 'unusedFor', days: 5, bytes: 7 })
    const two = await addRule({ condition: 'diskBelow', bytes: 9, datasource: 'DEFAULT' })
    const list = () => read<{ items: object[] }>(user.get('/api/ext/retention/rules'))
    expect((await list()).items).toMatchObject([
      { id: one.id, name: 'One', position: 0, days: 5, bytes: null, service: null },
      { id: two.id, position: 1, bytes: 9, datasource: 'default' },
    ])
    const change = { name: 'New', condition: 'storedLongerThan', days: 8, position: 3 }
    await read(owner.put(`/api/ext/retention/rules/${one.id}`, change))
    expect((await list()).items).toMatchObject([{ id: two.id }, { name: 'New', isEnabled: true }])
    await read(owner.delete(`/api/ext/retention/rules/${one.id}`))
    expect((await list()).items).toHaveLength(1)
    expect((await owner.delete(`/api/ext/retention/rules/${one.id}`)).status).toBe(404)
  })

  test.each([
    [{ condition: 'unusedFor' }, 'days is missing'],
    [{ condition: 'gameLargerThan', days: 3 }, 'bytes is missing'],
    [{ condition: 'serviceAbove', bytes: 3 }, 'service is missing'],
    [{ condition: 'serviceAbove', bytes: 3, service: 'a', datasource: 'default' }, 'all its games'],
    [{ condition: 'unusedFor', days: 1, gameKey: 'service:wsus' }, 'names no game'],
    [{ condition: 'nonsense', days: 1 }, 'validation'],
    [{ condition: 'unusedFor', days: 0 }, 'validation'],
    [{ condition: 'unusedFor', days: 1, name: '  ' }, 'name is missing'],
  ])('like %p are refused', async (rule, reason) => {
    const response = await owner.post('/api/ext/retention/rules', { name: 'x', ...rule })
    expect(response.status).toBe(400)
    expect(await response.text()).toContain(reason)
  })

  test('can be set by administrators only, at most a hundred', async () => {
    const rule = { name: 'x', condition: 'unusedFor', days: 1 }
    expect((await user.post('/api/ext/retention/preview', { rule })).status).toBe(200)
    for (let at = 0; at < 100; at++) await addRule(rule)
    expect((await owner.post('/api/ext/retention/rules', rule)).status).toBe(409)
    const settings = { undoHours: 1.5, sparedDays: 10 }
    expect(await read(owner.put('/api/ext/retention/settings', settings))).toEqual(settings)
    expect(
      (await owner.put('/api/ext/retention/settings', { undoHours: -1, sparedDays: 1 })).status,
    ).toBe(400)
    expect(await read(user.get('/api/ext/retention/settings'))).toEqual(settings)
    app.settings.clear('retention.undoHours')
    app.settings.clear('retention.sparedDays')
  })
})
