import { expect, test } from 'bun:test'
import { Elysia } from 'elysia'
import pino from 'pino'
import { lastResort } from './last-resort.ts'

test('an error in the error handler is JSON with headers and one log line', async () => {
  const lines: string[] = []
  const log = pino({}, { write: (line: string) => void lines.push(line) })
  const app = new Elysia({ serve: { development: false } })
    .onError(() => {
      throw new Error('second fault')
    })
    .wrap(lastResort(log))
    .get('/fails', () => {
      throw new Error('first fault')
    })
    .listen({ port: 0, hostname: '127.0.0.1' })
  try {
    const answer = await fetch(`http://127.0.0.1:${app.server?.port}/fails`)
    expect(answer.status).toBe(500)
    expect(answer.headers.get('Content-Type')).toContain('application/json')
    expect(answer.headers.get('X-Content-Type-Options')).toBe('nosniff')
    const body = await answer.text()
    expect(JSON.parse(body)).toMatchObject({ stageKey: 'errors.unexpected', statusCode: 500 })
    expect(body).not.toContain('fault')
    expect(lines).toHaveLength(1)
    expect(lines[0]).toContain('fault')
  } finally {
    await app.stop(true)
  }
})
