import { expect, test } from 'bun:test'
import { appendFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { cachelogLine } from '../../src/demo/log-formats.ts'
import type { RetroPage } from '../../src/downloads/downloads/model.ts'
import { eventually } from '../support/eventually.ts'
import { launchBrowser, watchedPage } from './browser.ts'
import { missOf, openServiceFixture, ownWindow } from './service-fixture.ts'
import { en } from './texts.ts'

test('a running download is a row that says so, also as a game and on its page', async () => {
  const { larder, owner } = await openServiceFixture()
  const { page, complaints } = await watchedPage(
    await ownWindow(await launchBrowser(), { larder }),
    larder.url,
  )
  const log = join(dirname(larder.dataPath), 'logs', 'access.log')
  const isShown = new RegExp(`\\b${en['time.now']}\\b`)
  let requests = 0
  const shows = (place: string) =>
    eventually(async () => {
      // The download never pauses.
      const request = missOf(Math.floor(Date.now() / 1000), `running-${++requests}`)
      appendFileSync(log, `${cachelogLine(request)}\n`)
      const [first] = await page.locator(place).allInnerTexts()
      return isShown.test(first ?? '')
    }, `${place} shows a running download`)
  for (const path of ['/downloads', '/games']) {
    await page.goto(`${larder.url}${path}?range=all&service=wsus`)
    await shows('[role="row"][data-index]')
  }
  const { items } = await owner.read<RetroPage>('/api/downloads/retro?Service=wsus')
  await page.goto(`${larder.url}/downloads/${items[0]?.downloadIds[0]}`)
  await shows('dl')
  expect(complaints).toEqual([])
})
