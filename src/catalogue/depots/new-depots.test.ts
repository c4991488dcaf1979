import { expect, setDefaultTimeout, test } from 'bun:test'
import { testApp } from '../../../test/support/app.ts'
import { catalogueStandIns } from '../../../test/support/catalogue-site.ts'
import { eventually } from '../../../test/support/eventually.ts'
import { imageBytes, imageOrigin } from '../../../test/support/image-origin.ts'
import { ManualTime } from '../../../test/support/manual-time.ts'
import { freshHistory } from '../../../test/support/postgres.ts'
import { putDownloads, putTitles } from '../../../test/support/put-downloads.ts'
import { idleEngine } from '../../../test/support/report-app.ts'

setDefaultTimeout(60_000)

const time = new ManualTime()
const logs = idleEngine()
const images = imageOrigin()

const outside = catalogueStandIns()
outside.site.list = {
  '481': { ownerId: 480, appIds: [480], appNames: ['Spacewar'] },
  '738': { ownerId: 730, appIds: [730], appNames: ['Counter'] },
}
images.answers.set('/alpha/480/header.jpg', () => new Response(imageBytes()))
const history = await freshHistory()
const app = await testApp({
  history,
  environment: { ...outside.site.environment, ...images.environment },
  catalogue: outside.engine,
  logs: logs.engine,
  clock: time,
  timers: time,
})

async function download(depot: number, name: string | null = null): Promise<void> {
  const game = { depotId: depot, gameAppId: name === null ? null : depot - 1, gameName: name }
  await putTitles(app.history, { titleKey: `alpha:${depot}`, ...game })
  await putDownloads(app.history, { id: depot, titleKey: `alpha:${depot}` })
  logs.titlesArrived()
}

const nameOf = (depot: number) =>
  app.history.read(async (_db, sql) => {
    const [row] = await sql<{ name: string | null }[]>`
      SELECT game_name AS name FROM titles WHERE depot_id = ${depot}`
    return row?.name ?? null
  })

const headerOf = async (appId: number) =>
  (await app.request(`/api/game-images/${appId}/header`)).status

/** Lets time pass in small steps until the condition holds; fewer seconds than the schedules take. */
async function within(seconds: number, isMet: () => Promise<boolean>, awaited: string) {
  const until = time.elapsedMs() + seconds * 1000
  await eventually(async () => {
    if (time.elapsedMs() < until) await time.advance(250)
    return isMet()
  }, awaited)
}

test('the first download without a name has name and image within seconds', async () => {
  await download(481)
  expect(outside.site.calls).toEqual([])
  await within(15, async () => (await nameOf(481)) === 'Spacewar', 'the name')
  expect(outside.site.count('list')).toBe(1)
  await within(30, async () => (await headerOf(480)) === 200, 'the image')
})

test('a later one is named from what is stored, without another request', async () => {
  await download(738)
  await within(30, async () => (await nameOf(738)) === 'Counter', 'the name')
  expect(outside.site.count('list')).toBe(1)
})

test('a download that arrives with its name has its image within seconds', async () => {
  images.answers.set('/alpha/220/header.jpg', () => new Response(imageBytes()))
  await download(221, 'Half-Life 2')
  await within(30, async () => (await headerOf(220)) === 200, 'the image')
})

test('one that the list does not know leads to no request', async () => {
  const runs = () =>
    app.operations
      .recent({ limit: 100, includeSilent: true })
      .filter(({ type, finishedAt }) => type === 'depotMapping' && finishedAt !== null).length
  const before = runs()
  await download(999)
  await within(30, async () => runs() > before, 'the end of a run')
  expect(await nameOf(999)).toBeNull()
  expect(outside.site.count('list')).toBe(1)
})
