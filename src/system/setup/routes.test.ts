import { describe, expect, test } from 'bun:test'
import { testApp } from '../../../test/support/app.ts'
import { Browser, signInAs, signInGuest, signInOwner } from '../../../test/support/sign-in.ts'
import { json } from '../../../test/support/answers.ts'

let user: Browser

const app = await testApp()

const path = '/api/system/setup'
const read = async (browser = new Browser(app)) => (await json(await browser.get(path)))[1]

describe('reading', () => {
  test('is public, without anything about the database', async () => {
    const answer = await new Browser(app).get(path)
    expect(answer.headers.get('Cache-Control')).toContain('no-store')
    expect(await json(answer)).toEqual([
      200,
      {
        isCompleted: false,
        hasProcessedLogs: false,
        setupCompleted: false,
        needsPostgresCredentials: false,
        accountExists: false,
        currentSetupStep: null,
        dataSourceChoice: null,
        completedPlatforms: null,
        mode: 'external',
        postgresHost: null,
        postgresPort: null,
        postgresDatabase: null,
        postgresUser: null,
      },
    ])
  })

  test('account holders see the database connection, guests do not', async () => {
    await signInOwner(app)
    user = await signInAs(app, 'user')
    const facts = { postgresHost: '127.0.0.1', postgresPort: 1, postgresUser: 'larder' }
    expect(await read(user)).toMatchObject({ accountExists: true, ...facts })
    expect(await read(await signInGuest(app))).toMatchObject({ postgresHost: null })
  })
})

describe('writing', () => {
  test('stores the step; completing clears it', async () => {
    const step = { currentSetupStep: 'log-processing', completedPlatforms: '{"alpha":"github"}' }
    const owner = await signInOwner(app)
    expect(await json(await owner.patch(path, { completed: false }))).toEqual([
      200,
      { message: expect.any(String), setupCompleted: false },
    ])
    expect((await user.patch(path, step)).status).toBe(200)
    expect((await user.patch(path, { dataSourceChoice: 'alpha' })).status).toBe(200)
    expect(await read()).toMatchObject({ ...step, dataSourceChoice: 'alpha', isCompleted: false })
    expect(app.settings.get('depots.crawlMode')).toBe('incremental')
    expect(await json(await user.patch(path, { completed: true }))).toMatchObject([
      200,
      { setupCompleted: true },
    ])
    expect(await read()).toMatchObject({
      isCompleted: true,
      currentSetupStep: null,
      dataSourceChoice: null,
      completedPlatforms: null,
    })
  })

  test('only the owner reopens it, which is audited', async () => {
    expect(await read()).toMatchObject({ isCompleted: true })
    for (const other of [user, await signInAs(app, 'admin')]) {
      expect((await other.patch(path, { completed: false })).status).toBe(403)
    }
    expect(await read()).toMatchObject({ isCompleted: true })
    const owner = await signInOwner(app)
    expect((await owner.patch(path, { completed: false })).status).toBe(200)
    const [last] = app.control.audit.read({ limit: 1, before: null })
    const id = app.control.accounts.owner()?.id ?? ''
    expect(last).toMatchObject({ event: 'SetupReopened', actorAccountId: id })
    // While it is open, every account can continue it.
    expect((await user.patch(path, { completed: false })).status).toBe(200)
    expect((await user.patch(path, { completed: true })).status).toBe(200)
  })

  test('an empty body clears the stored step', async () => {
    await user.patch(path, { currentSetupStep: 'depot-init' })
    expect((await user.patch(path, {})).status).toBe(200)
    expect(await read()).toMatchObject({ currentSetupStep: null, isCompleted: true })
  })

  test.each([
    ['an unknown step', { currentSetupStep: 'nowhere' }],
    ['an unknown choice', { dataSourceChoice: 'omega' }],
    ['a long text', { completedPlatforms: 'x'.repeat(5000) }],
    ['a wrong type', { completed: 'yes' }],
  ])('%s: 400 and nothing is stored', async (_, body) => {
    const before = await read()
    expect((await user.patch(path, body)).status).toBe(400)
    expect(await read()).toEqual(before)
  })
})

describe('health and version', () => {
  test.each(['/health', '/api/version'])(
    '%s answers in headers, with an empty body',
    async (at) => {
      const answer = await app.request(at)
      expect(answer.status).toBe(200)
      expect(await answer.text()).toBe('')
      expect(answer.headers.get('X-Service-Version')).toMatch(/^\d+\.\d+\.\d+/)
      expect(answer.headers.get('X-Service-Status')).toBe('healthy')
    },
  )
})

describe('configuration', () => {
  const config = async (browser: Browser) =>
    (await (await browser.get('/api/system/config')).json()) as Record<string, unknown>

  test('is reduced when signed out', async () => {
    expect(await config(new Browser(app))).toMatchObject({
      cachePath: '',
      logsPath: '',
      dataPath: '',
      cacheDeleteMode: 'preserve',
      alphaAuthMode: 'anonymous',
      timeZone: 'UTC',
      cacheWritable: false,
      logsWritable: false,
      dataSources: [{ name: 'default', cachePath: '', logsPath: '', cacheWritable: false }],
    })
  })

  test('names paths to account holders only', async () => {
    const { config: known } = app
    const source = known.datasources[0]
    expect(await config(user)).toMatchObject({
      cachePath: source?.cachePath,
      logsPath: source?.logPath,
      dataPath: known.dataPath,
      cacheWritable: true,
      logsWritable: true,
      dataSources: [
        {
          name: 'default',
          enabled: true,
          cachePath: source?.cachePath,
          cacheSizeSource: 'fullDisk',
        },
      ],
    })
    const guest = await config(await signInGuest(app))
    expect(JSON.stringify(guest)).not.toContain(app.root)
  })
})
