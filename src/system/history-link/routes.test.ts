import { expect, test } from 'bun:test'
import { reportApp } from '../../../test/support/report-app.ts'

test('a history that is counted again has everything, whatever retention deleted before', async () => {
  const app = await reportApp()
  const status = app.logs.engine.status()
  const choices = ['goOn', 'rebuild'] as const
  app.logs.engine.status = () => ({
    ...status,
    mismatch: { reason: 'historyEmpty', choices: [...choices] },
  })
  app.logs.engine.resolveMismatch = () => Promise.resolve()
  const since = Date.UTC(2026, 4, 1) / 1000
  const keptSince = async (choice: string) => {
    app.deps.settings.set('history.keptSince', since)
    expect((await app.send('POST', '/api/ext/history-link', 'admin', { choice })).status).toBe(200)
    return app.deps.settings.get('history.keptSince')
  }
  expect(await keptSince('goOn')).toBe(since)
  expect(await keptSince('rebuild')).toBeNull()
  await app.stop()
})
