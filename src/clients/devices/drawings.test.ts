import { expect, test } from 'bun:test'
import { deviceKinds } from '../../../db/state/schema/clients.ts'

test('every kind of device has a drawing, and so have clients of no known kind', async () => {
  const text = await Bun.file(`${import.meta.dir}/../../../public/devices.svg`).text()
  const drawn = [...text.matchAll(/<symbol id="([a-z]+)" viewBox="0 0 16 16">/g)].map(
    ([, id]) => id,
  )
  expect(drawn).toEqual([...deviceKinds, 'unknown'])
})
