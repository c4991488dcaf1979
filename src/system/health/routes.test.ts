import { describe, expect, test } from 'bun:test'
import { eventually } from '../../../test/support/eventually.ts'
import { testApp } from '../../../test/support/app.ts'
import { freshHistory } from '../../../test/support/postgres.ts'
import { createReadiness } from './readiness.ts'

const history = await freshHistory()
const app = await testApp({ history, isIngesting: true, isIndexing: true })

const ask = async (): Promise<unknown[]> => {
  const answer = await app.request('/health/ready')
  return [answer.status, await answer.json()]
}

const untilReadyIs = (isReady: boolean) =>
  eventually(
    async () => (await app.request('/health/ready')).ok === isReady,
    `readiness is ${isReady}`,
  )

describe('/health/ready', () => {
  test('is public and reports that every part works', async () => {
    await untilReadyIs(true)
    expect(await ask()).toEqual([200, { isReady: true, notReady: [] }])
    const answer = await app.request('/health/ready')
    expect(answer.headers.get('Cache-Control')).toBe('no-store')
  })

  test('503 names the failed part; the service itself stays healthy', async () => {
    await history.stop()
    expect(await ask()).toEqual([503, { isReady: false, notReady: ['history'] }])
    expect((await app.request('/health')).status).toBe(200)
    history.start()
    await untilReadyIs(true)
  })

  test('a failing or silent part counts as failed', async () => {
    const { state, logs, cache } = app
    const failing = { ...cache, roots: () => Promise.reject(new Error('no index')) }
    const silent = { ...cache, roots: () => new Promise<never>(() => {}) }
    expect(await createReadiness({ state, logs, history, cache: failing })()).toEqual(['cache'])
    expect(await createReadiness({ state, logs, history, cache: silent })()).toEqual(['cache'])
    await logs.stop()
    expect(await createReadiness({ state, logs, history, cache })()).toEqual(['logs'])
  })
})
