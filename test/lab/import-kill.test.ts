import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { mkdirSync } from 'node:fs'
import { installationKey, Visitor } from '../../src/demo/visitor.ts'
import { eventually } from '../support/eventually.ts'
import { connectionStringOf, foreignBytes, foreignHistory } from '../support/foreign-history.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { labAccount, Larder } from './larder.ts'

const rows = 4000
const batchSize = 100

interface Import {
  totalRecords: number
  imported: number
  skipped: number
  errors: number
}
interface Progress {
  isProcessing: boolean
  percentComplete: number | null
}
interface Service {
  totalBytes: number
}

test('an import that was killed continues where it was, and imports each download once', async () => {
  const root = tempFolder('import-kill')
  const logPath = join(root, 'logs')
  const dataPath = join(root, 'data')
  mkdirSync(logPath)
  const sources = [{ name: 'main', logPath }]
  const options = { dataPath, cachePath: join(root, 'cache'), sources }
  const connectionString = connectionStringOf(await foreignHistory(rows))
  const path = '/api/migration/import-service'

  let larder = await Larder.start(options)
  let visitor = await larder.firstSignIn()
  await eventually(() => larder.output.includes('history ready'), 'the history is there')
  const killed = visitor.request('POST', path, { connectionString, batchSize }).catch(() => null)
  const state = () => visitor.read<Progress>('/api/migration/import/status')
  await eventually(async () => ((await state()).percentComplete ?? 0) > 5, 'a part is imported')
  await larder.kill()
  await killed

  larder = await Larder.start(options)
  visitor = new Visitor(larder.url)
  await visitor.signIn(installationKey(dataPath), labAccount)
  await eventually(() => larder.output.includes('history ready'), 'the history is there again')
  expect(await state()).toMatchObject({ isProcessing: false })
  const run = async () =>
    (await (await visitor.request('POST', path, { connectionString, batchSize })).json()) as Import
  const continued = await run()
  expect(continued).toMatchObject({ totalRecords: rows, errors: 0 })
  // The batch during which it was killed may be there without having been noted.
  expect(continued.skipped).toBeLessThanOrEqual(batchSize)
  expect(await run()).toMatchObject({ totalRecords: rows, imported: 0, skipped: rows, errors: 0 })
  const services = await visitor.read<Service[]>('/api/stats/services')
  expect(services.reduce((sum, { totalBytes }) => sum + totalBytes, 0)).toBe(foreignBytes(rows))
  expect(await larder.stop()).toBe(0)
})
