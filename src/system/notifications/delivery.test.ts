import { beforeEach, describe, expect, test } from 'bun:test'
import { eventually } from '../../../test/support/eventually.ts'
import { notificationServer } from '../../../test/support/notification-server.ts'
import { reportApp, type ReportApp } from '../../../test/support/report-app.ts'
import type { OperationResult, OperationType } from '../../core/operations/contract.ts'
import { createNotificationHistory, historyMax } from './history.ts'
import type { HistoryEntry, NotificationRules, Notifications, TargetView } from './model.ts'
import { createNotificationStore, waitingMax } from './store.ts'

const path = '/api/ext/notifications'
const silent: NotificationRules = {
  failedJobs: null,
  finishedJobs: [],
  diskDays: null,
  corruption: false,
  signIns: false,
  service: false,
  dns: false,
  readiness: false,
}
let app: ReportApp
let runs = 0

beforeEach(async () => {
  app = await reportApp()
  await setRules({})
})

const setRules = (rules: Partial<NotificationRules>) =>
  app.send('PUT', `${path}/rules`, 'admin', { ...silent, ...rules })

async function addTarget(url: string, own: object = {}): Promise<TargetView> {
  const body = { name: url, kind: 'webhook', url, ...own }
  return JSON.parse(await (await app.send('POST', `${path}/targets`, 'admin', body)).text())
}
const targets = async () => ((await app.read(path, 'admin')) as Notifications).targets
const waiting = async () => (await targets()).map((target) => target.waiting)

/** Runs a job to its end. */
async function job(result: OperationResult, type: OperationType = 'cacheSizeScan') {
  const scope = `run ${++runs}`
  const { operationId } = app.operations.submit({
    type,
    scope,
    name: `Job ${runs}`,
    run: () => Promise.resolve(result),
  })
  await eventually(
    () => !['running', 'pending'].includes(app.operations.get(operationId)?.status ?? ''),
    'the job is over',
  )
  return `Job ${runs}`
}
const fail = (type?: OperationType) => job({ kind: 'failed', error: 'no space' }, type)

test('a rule that the caller does not know stays as it is', async () => {
  const { readiness: _, ...known } = silent
  const rules = async () => ((await app.read(path, 'admin')) as Notifications).rules
  for (const readiness of [true, false]) {
    await setRules({ readiness })
    const answer = await app.send('PUT', `${path}/rules`, 'admin', { ...known, signIns: true })
    expect([answer.status, await answer.json()]).toEqual([
      200,
      { ...silent, signIns: true, readiness },
    ])
    expect(await rules()).toMatchObject({ signIns: true, readiness })
  }
})

describe('a failed job', () => {
  test('is delivered, and nothing waits afterwards', async () => {
    const server = notificationServer()
    await addTarget(`${server.url}/a`)
    const name = await fail()
    await eventually(() => server.received.length === 1, 'the message arrives')
    expect(server.received[0]?.body).toEqual({
      source: 'larder',
      kind: 'jobFailed',
      isProblem: true,
      title: `${name} failed`,
      text: 'no space',
      raisedAtUtc: app.time.now().toISOString(),
    })
    await eventually(async () => (await waiting())[0] === 0, 'the outbox is empty')
    expect(await targets()).toMatchObject([{ lastSentAtUtc: app.time.now().toISOString() }])
  })

  test('reaches others while one target hangs and one refuses', async () => {
    const [good, hanging, refusing] = [
      notificationServer(),
      notificationServer(),
      notificationServer(),
    ]
    hanging.setMood('hangs')
    refusing.setMood('refuses')
    for (const { url } of [hanging, refusing, good]) await addTarget(url)
    await fail()
    await fail()
    await eventually(() => good.received.length === 2, 'the good target has both')
    await eventually(async () => (await targets())[1]?.lastError !== null, 'the refusal is noted')
    expect(refusing.received).toHaveLength(1)
    await eventually(async () => (await waiting())[2] === 0, 'nothing waits for the good target')
    expect(await waiting()).toEqual([2, 2, 0])
    // Other calls and jobs go on.
    expect((await app.deps.request('/health')).status).toBe(200)
    await job({ kind: 'completed' })
  })

  test('is sent again with growing pauses, and given up after ten attempts', async () => {
    const server = notificationServer()
    server.setMood('refuses')
    await addTarget(server.url)
    await fail()
    const arrives = (count: number) =>
      eventually(() => server.received.length === count, `attempt ${count}`)
    const noted = (text: string) =>
      eventually(() => app.deps.logLines.some((line) => line.includes(text)), text)
    await arrives(1)
    for (const [index, minutes] of [0.5, 1, 2, 4, 8, 16, 30, 30, 30].entries()) {
      await noted(`"attempts":${index + 1}`)
      await app.time.advance(minutes * 60_000 - 1000)
      expect(server.received).toHaveLength(index + 1)
      await app.time.advance(1000)
      await arrives(index + 2)
    }
    await noted('a notification was given up')
    expect(await waiting()).toEqual([0])
    expect(await targets()).toMatchObject([{ lastError: expect.stringContaining('status 500') }])
  })

  test('keeps the newest messages when many wait, and drops them with the target', async () => {
    const { id } = await addTarget('http://127.0.0.1:1/')
    const store = createNotificationStore(app.deps.state)
    const message = { kind: 'jobFailed', isProblem: true, text: '', raisedAt: new Date() } as const
    for (let n = 0; n < waitingMax + 5; n++) store.add(id, { ...message, title: String(n) })
    expect(store.waiting().get(id)).toBe(waitingMax)
    expect(store.next(id)?.title).toBe('5')
    await app.send('DELETE', `${path}/targets/${id}`, 'admin')
    expect(store.waiting().size).toBe(0)
  })

  test('that waited is sent by the next start, unless it is a day old', async () => {
    const server = notificationServer()
    const { id } = await addTarget(server.url)
    const store = createNotificationStore(app.deps.state)
    const raisedAt = (hours: number) => new Date(app.time.now().getTime() - hours * 3_600_000)
    const message = { kind: 'jobFailed', isProblem: true, text: '' } as const
    store.add(id, { ...message, title: 'old', raisedAt: raisedAt(25) })
    store.add(id, { ...message, title: 'new', raisedAt: raisedAt(23) })
    // The start does the same for all targets.
    app.deps.groups.system.start()
    await eventually(() => server.received.length > 0, 'the message arrives')
    expect(server.titles()).toEqual(['new'])
  })
})

describe('the history', () => {
  const read = async () =>
    ((await app.read(`${path}/history`, 'admin')) as { entries: HistoryEntry[] }).entries

  test('has each message once per target, with how it ended, newest first', async () => {
    const [good, bad] = [notificationServer(), notificationServer()]
    bad.setMood('refuses')
    await addTarget(good.url, { name: 'Good' })
    const { id } = await addTarget(bad.url, { name: 'Bad' })
    const name = await fail()
    await eventually(async () => (await read()).length === 1, 'the delivery is noted')
    expect(await read()).toMatchObject([
      { kind: 'jobFailed', title: `${name} failed`, target: 'Good', error: null },
    ])
    await app.send('POST', `${path}/targets/${id}/test`, 'admin')
    const [test] = await read()
    expect(test).toMatchObject({ kind: 'test', target: 'Bad' })
    expect(test?.error).toContain('status 500')
    // What is still tried has not ended.
    expect(await waiting()).toEqual([0, 1])
    await app.time.advance(25 * 3_600_000)
    await eventually(async () => (await read()).length === 3, 'it is given up after a day')
    expect((await read())[0]).toMatchObject({ title: `${name} failed`, target: 'Bad' })
    expect((await read())[0]?.error).toContain('status 500')
  })

  test('is bounded, and empty at first', async () => {
    expect(await read()).toEqual([])
    const history = createNotificationHistory(app.deps.settings, app.time)
    for (let n = 0; n < historyMax + 5; n++) {
      history.ended('Phone', { kind: 'test', title: String(n) }, null)
    }
    const titles = (await read()).map(({ title }) => title)
    expect([titles.length, titles[0], titles.at(-1)]).toEqual([historyMax, '204', '5'])
  })
})

describe('rules', () => {
  test('choose types of jobs; a target may take problems only', async () => {
    const [all, problems] = [notificationServer(), notificationServer()]
    await addTarget(all.url)
    await addTarget(problems.url, { onlyProblems: true })
    await setRules({ failedJobs: ['gameRemoval'], finishedJobs: ['gameDetection'] })
    await fail('cacheSizeScan')
    await job({ kind: 'completed' }, 'cacheSizeScan')
    const finished = await job({ kind: 'completed', message: 'ten games' }, 'gameDetection')
    const failed = await fail('gameRemoval')
    await eventually(() => all.received.length === 2, 'both arrive')
    await eventually(() => problems.received.length === 1, 'the problem arrives')
    expect(all.titles()).toEqual([`${finished} finished`, `${failed} failed`])
    expect(problems.titles()).toEqual([`${failed} failed`])
  })

  test('of unknown types are refused', async () => {
    expect((await setRules({ finishedJobs: ['cooking' as OperationType] })).status).toBe(400)
  })

  test('a disabled target gets nothing', async () => {
    const server = notificationServer()
    const second = notificationServer()
    await addTarget(server.url, { isEnabled: false })
    await addTarget(second.url)
    await fail()
    await eventually(() => second.received.length === 1, 'the other one has it')
    expect([server.received, (await waiting())[0]]).toEqual([[], 0])
  })
})

describe('quiet hours', () => {
  const quiet = { start: '22:00', end: '07:00', timeZoneId: 'Europe/Berlin' }
  const set = (quietHours: object | null) =>
    app.send('PUT', `${path}/quiet-hours`, 'admin', { quietHours })

  test('hold messages until their end in their zone', async () => {
    const server = notificationServer()
    await addTarget(server.url)
    // 12:00 UTC is 13:00 in Berlin in November.
    expect((await set({ ...quiet, start: '12:30', end: '14:00' })).status).toBe(200)
    expect((await app.read(path, 'admin')).isQuiet).toBe(true)
    await fail()
    await app.time.advance(59 * 60_000)
    expect(await waiting()).toEqual([1])
    expect(server.received).toEqual([])
    await app.time.advance(2 * 60_000)
    await eventually(() => server.received.length === 1, 'the message arrives')
  })

  test('that end early let messages go at once', async () => {
    const server = notificationServer()
    await addTarget(server.url)
    await set({ ...quiet, start: '12:30', end: '14:00' })
    await fail()
    expect(await waiting()).toEqual([1])
    await set(null)
    await eventually(() => server.received.length === 1, 'the message arrives')
  })

  test.each([
    { ...quiet, start: '25:00' },
    { ...quiet, end: '22:00' },
    { ...quiet, timeZoneId: 'Middle Earth' },
  ])('%j are refused', async (body) => {
    expect((await set(body)).status).toBe(400)
    expect((await app.read(path, 'admin')).quietHours).toBeNull()
  })
})

test('a platform that ends the sign-in is notified', async () => {
  const server = notificationServer()
  await addTarget(server.url)
  await setRules({ signIns: true })
  app.deps.groups.system.signInLost('beta')
  await eventually(() => server.received.length === 1, 'the message arrives')
  expect(server.titles()).toEqual(['The sign-in to Epic Games has ended'])
})

test('while the disk takes no writes, messages are sent, each once', async () => {
  const server = notificationServer()
  server.setMood('refuses')
  await addTarget(server.url)
  await setRules({ signIns: true })
  const { signInLost } = app.deps.groups.system
  signInLost('beta')
  await eventually(async () => (await targets())[0]?.lastError !== null, 'it was refused')
  app.deps.state.sqlite.run('PRAGMA query_only = on')
  server.setMood('answers')
  signInLost('epsilon')
  await app.time.advance(60_000)
  await eventually(() => server.received.length === 3, 'both arrive')
  await eventually(async () => (await waiting())[0] === 0, 'both are known to be delivered')
  await app.time.advance(60_000)
  app.deps.state.sqlite.run('PRAGMA query_only = off')
  expect(await waiting()).toEqual([0])
  signInLost('beta')
  await eventually(() => server.received.length === 4, 'the next one is delivered')
  const [epic, xbox] = ['Epic Games', 'Xbox'].map((name) => `The sign-in to ${name} has ended`)
  expect(server.titles()).toEqual([epic, epic, xbox, epic])
})
