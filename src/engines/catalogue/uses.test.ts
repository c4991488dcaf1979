import { expect, test } from 'bun:test'
import { catalogueStandIns } from '../../../test/support/catalogue-site.ts'

test('a prefill tells which depots an app uses, not who owns them', async () => {
  const { engine } = catalogueStandIns()
  await engine.addUses({ appId: 700, depotIds: [601, 701], at: 1 })
  await engine.addUses({ appId: 800, depotIds: [701], at: 2 })
  expect(await engine.users([601, 701])).toEqual([
    { depotId: 601, appId: 700 },
    { depotId: 701, appId: 700 },
    { depotId: 701, appId: 800 },
  ])
  expect(await engine.names([601, 701])).toEqual([])
})
