import { beforeEach, describe, expect, test } from 'bun:test'
import { testApp } from '../../../test/support/app.ts'
import { ManualTime } from '../../../test/support/manual-time.ts'
import {
  Browser,
  signIn,
  signInAs,
  signInGuest,
  testPassword,
} from '../../../test/support/sign-in.ts'
import { json } from '../../../test/support/answers.ts'

let user: Browser
const time = new ManualTime()
const fresh = 'Fresh-Horse-77'
const path = '/api/auth/password'

const app = await testApp({ clock: time })
beforeEach(async () => {
  await time.advance(60_000)
  user = await signInAs(app, 'user')
})

describe('changing your own password', () => {
  test('needs an account', async () => {
    expect((await new Browser(app).post(path, {})).status).toBe(401)
    const guest = await signInGuest(app)
    expect(await json(await guest.post(path, {}))).toMatchObject([
      403,
      { stageKey: 'errors.password.accountRequired' },
    ])
  })

  test.each([
    ['nothing', {}, 401, 'errors.password.incorrect'],
    [
      'a wrong current one',
      { currentPassword: 'x', newPassword: fresh },
      401,
      'errors.password.incorrect',
    ],
    [
      'a weak new one',
      { currentPassword: testPassword, newPassword: 'weak' },
      400,
      'errors.password.rejected',
    ],
    [
      'the name as new one',
      { currentPassword: testPassword, newPassword: 'some-user' },
      400,
      'errors.password.rejected',
    ],
  ])('%s is refused', async (_, body, status, stageKey) => {
    expect(await json(await user.post(path, body))).toMatchObject([status, { stageKey }])
    app.control.lockout.clear(app.control.accounts.byUsernameKey('some-user')?.id ?? '')
  })

  test('five wrong attempts lock it, even for the correct one', async () => {
    const id = app.control.accounts.byUsernameKey('some-user')?.id ?? ''
    await time.advance(60_000)
    for (let n = 0; n < 5; n++) await user.post(path, { currentPassword: 'x', newPassword: fresh })
    await time.advance(60_000)
    const right = { currentPassword: testPassword, newPassword: fresh }
    expect(await json(await user.post(path, right))).toMatchObject([
      403,
      { stageKey: 'errors.password.locked' },
    ])
    app.control.lockout.clear(id)
  })

  test('ends the other sessions and replaces the token immediately', async () => {
    const other = await signIn(app, 'some-user')
    const stolen = new Browser(app)
    stolen.cookies.set('Svc.Session', user.sessionToken ?? '')
    const body = { currentPassword: testPassword, newPassword: fresh }
    // `token` requests the status first, which rotates; the copy is then in its grace period.
    await user.token()
    expect((await stolen.get('/api/user-preferences')).status).toBe(200)
    expect((await user.post(path, body)).status).toBe(200)
    expect((await stolen.get('/api/user-preferences')).status).toBe(401)
    expect((await other.get('/api/user-preferences')).status).toBe(401)
    expect((await user.get('/api/user-preferences')).status).toBe(200)
    await signIn(app, 'some-user', fresh)
    expect(signIn(app, 'some-user')).rejects.toThrow('401')
  })
})
