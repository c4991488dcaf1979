import { describe, expect, test } from 'bun:test'
import { testApp } from '../../../test/support/app.ts'
import { signInAs, signInOwner } from '../../../test/support/sign-in.ts'
import { systemClock } from '../../core/lib/clock.ts'
import { createAuditTrail } from './trail.ts'

interface Page {
  entries: { id: number; event: string; actorName: string | null; targetName: string | null }[]
  next: number | null
}

const app = await testApp()
const owner = await signInOwner(app)

const read = async (query = '') =>
  (await (await owner.get(`/api/ext/audit${query}`)).json()) as Page

describe('the audit trail', () => {
  test('lists actor, action and target, newest first', async () => {
    await signInAs(app, 'user', 'noted')
    const { entries } = await read()
    const created = entries.find(
      ({ event, targetName }) => event === 'AccountCreated' && targetName === 'noted',
    )
    expect(created?.actorName).toBe('owner')
    const ids = entries.map(({ id }) => id)
    expect(ids).toEqual([...ids].sort((a, b) => b - a))
  })

  test('pages leave no gaps', async () => {
    const all = (await read('?limit=200')).entries.map(({ id }) => id)
    const first = await read('?limit=2')
    const second = await read(`?limit=2&before=${first.next}`)
    expect([...first.entries, ...second.entries].map(({ id }) => id)).toEqual(all.slice(0, 4))
  })

  test.each(['?limit=0', '?limit=201', '?limit=x', '?before=0'])('%s is refused', async (query) => {
    expect((await owner.get(`/api/ext/audit${query}`)).status).toBe(400)
  })

  test('is bounded, and refused sign-ins push nothing else out', () => {
    const trail = createAuditTrail(app.state, systemClock)
    const count = (rule: string) =>
      app.state.sqlite.query<{ n: number }, []>(`SELECT count(*) n FROM audit WHERE ${rule}`).get()
        ?.n
    app.state.sqlite.transaction(() => {
      trail.note('ApiKeyRotated', {})
      for (let n = 0; n < 10_500; n++) trail.note('LoginFailed', {})
    })()
    expect(count("event = 'LoginFailed'")).toBeLessThanOrEqual(2_100)
    expect(count("event = 'ApiKeyRotated'")).toBe(1)
  })

  test('stores no names, passwords or keys', async () => {
    const text = JSON.stringify(app.state.sqlite.query('SELECT * FROM audit').all())
    expect(text).not.toContain(app.key)
    expect(text).not.toContain('Correct-Horse-42')
  })
})
