import { expect, test } from 'bun:test'
import { imageBytes, imageOrigin } from '../../../test/support/image-origin.ts'
import { quietLog } from '../../../test/support/quiet-log.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import type { History } from '../../../db/history/history.ts'
import { readConfig } from '../../core/config.ts'
import { createOutside } from '../../core/lib/outside.ts'
import { fetchImages, newImages } from './fetch-run.ts'
import { openImageStore } from './store.ts'

const titleOf = (appId: number) => ({
  titleKey: `alpha:${appId + 1}`,
  service: 'steam',
  gameName: `Game ${appId}`,
  gameAppId: appId,
  betaAppId: null,
  depotId: appId + 1,
  imageUrl: null,
})

test('new images are announced while others are still to come, and at the end', async () => {
  const origin = imageOrigin()
  const hanging = Promise.withResolvers<Response>()
  origin.answers.set('/alpha/400/header.jpg', () => new Response(imageBytes()))
  origin.answers.set('/alpha/220/header.jpg', () => hanging.promise)
  const first = Promise.withResolvers<void>()
  const announced: number[] = []
  // The rest of the history is unused.
  const history = { read: () => Promise.resolve([400, 220].map(titleOf)) } as unknown as History
  const run = fetchImages(
    {
      added(counts) {
        announced.push(newImages(counts))
        first.resolve()
      },
      history,
      catalogue: { parents: () => Promise.resolve([]) },
      addresses: readConfig(origin.environment).images,
      outside: createOutside({ gapMs: 0 }),
      store: await openImageStore(tempFolder('images'), { log: quietLog, now: Date.now }),
      now: Date.now,
    },
    { signal: new AbortController().signal, report() {} },
  )
  await first.promise
  expect(announced).toEqual([1])
  hanging.resolve(new Response(imageBytes()))
  await run
  expect(announced).toEqual([1, 2])
})
