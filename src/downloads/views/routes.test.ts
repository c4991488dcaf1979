import { describe, expect, test } from 'bun:test'
import { testApp } from '../../../test/support/app.ts'
import { type Browser, signInAs } from '../../../test/support/sign-in.ts'
import type { SavedView } from './model.ts'
import { viewsMax } from './service.ts'

const path = '/api/ext/views'

const app = await testApp()
const user = await signInAs(app, 'user')
const other = await signInAs(app, 'admin')

const list = async (browser: Browser): Promise<SavedView[]> =>
  JSON.parse(await (await browser.get(path)).text())

describe('saved views', () => {
  test('belong to one account', async () => {
    const body = { name: ' Big ones ', page: 'downloads', query: '?Sort=largest' }
    const created = await user.post(path, body)
    expect(created.status).toBe(201)
    const view: SavedView = JSON.parse(await created.text())
    expect(created.headers.get('Location')).toBe(`${path}/${view.id}`)
    expect(view).toMatchObject({ name: 'Big ones', page: 'downloads', query: 'Sort=largest' })
    expect(await list(user)).toEqual([view])
    expect(await list(other)).toEqual([])
    const change = { name: 'Small ones', page: 'downloads', query: 'Sort=smallest' }
    expect((await other.put(`${path}/${view.id}`, change)).status).toBe(404)
    expect((await other.delete(`${path}/${view.id}`)).status).toBe(404)
    expect((await user.put(`${path}/${view.id}`, change)).status).toBe(200)
    expect(await list(user)).toMatchObject([{ id: view.id, ...change }])
    expect((await user.delete(`${path}/${view.id}`)).status).toBe(200)
    expect((await user.delete(`${path}/${view.id}`)).status).toBe(404)
    expect(await list(user)).toEqual([])
  })

  test.each([
    [{ page: 'downloads', query: '' }, 'Name'],
    [{ name: 'x'.repeat(101), page: 'downloads' }, 'Name'],
    [{ name: 'x', page: '../x' }, 'Page'],
    [{ name: 'x' }, 'Page'],
    [{ name: 'x', page: 'downloads', query: 'x'.repeat(2001) }, 'Query'],
  ])('%o is refused', async (body, field) => {
    const response = await user.post(path, body)
    expect(response.status).toBe(400)
    expect(await response.text()).toContain(`"field":"${field}"`)
  })

  test('are limited to fifty per account', async () => {
    for (let number = viewsMax; number > 0; number--) {
      const body = { name: `View ${String(number).padStart(2, '0')}`, page: 'clients', query: '' }
      expect((await user.post(path, body)).status).toBe(201)
    }
    const names = (await list(user)).map(({ name }) => name)
    expect(names).toEqual(names.toSorted())
    expect((await user.post(path, { name: 'One more', page: 'clients' })).status).toBe(409)
    expect((await other.post(path, { name: 'One more', page: 'clients' })).status).toBe(201)
  })
})
