import { expect, test } from 'bun:test'
import { Elysia } from 'elysia'
import { allowSeconds } from './long-call.ts'

/** The server closes idle connections after four seconds at the earliest. */
const workMs = 4500

test('an idle call is cut off, unless its time limit was extended', async () => {
  const app = new Elysia({ serve: { idleTimeout: 1, hostname: '127.0.0.1' } })
    .get('/plain', () => Bun.sleep(workMs).then(() => 'late'))
    .get('/patient', ({ server, request }) => {
      allowSeconds(server, request, 30)
      return Bun.sleep(workMs).then(() => 'in time')
    })
    .listen(0)
  const get = async (path: string) =>
    (await fetch(`http://127.0.0.1:${app.server?.port}${path}`)).text()
  const [plain, patient] = await Promise.allSettled([get('/plain'), get('/patient')])
  expect(plain.status).toBe('rejected')
  expect(patient).toEqual({ status: 'fulfilled', value: 'in time' })
  await app.stop(true)
})

test('does nothing without a server', () => {
  expect(() => allowSeconds(null, new Request('http://localhost/'), 30)).not.toThrow()
})
