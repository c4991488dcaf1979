import { describe, expect, test } from 'bun:test'
import pino from 'pino'
import { requestIdOf } from './request-id.ts'
import { wrapRequest } from './wrap-request.ts'

function setUp(answer: Response | undefined) {
  const lines: Record<string, unknown>[] = []
  const write = (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>)
  const log = pino({ level: 'debug' }, { write })
  const handle = wrapRequest(log)(() => answer)
  return { lines, ask: (path: string) => handle(new Request(`http://localhost${path}`)) }
}

describe('every request', () => {
  test('has the same id in the answer and the log line, which omits the query', async () => {
    const { lines, ask } = setUp(new Response('x', { status: 404 }))
    const id = (await ask('/api/downloads/retro?Search=private'))?.headers.get('X-Request-Id')
    expect(lines).toHaveLength(1)
    expect(lines[0]).toMatchObject({ id, method: 'GET', path: '/api/downloads/retro', status: 404 })
    expect(JSON.stringify(lines)).not.toContain('private')
  })

  test('is not logged for probes and assets', async () => {
    const { lines, ask } = setUp(new Response('x'))
    await ask('/health')
    await ask('/assets/index-1.js')
    expect(lines).toEqual([])
  })

  test('an upgrade returns no response', async () => {
    expect(await setUp(undefined).ask('/hubs/downloads')).toBeUndefined()
  })

  test('keeps its id, different from that of another request', () => {
    const request = new Request('http://localhost/a')
    expect(requestIdOf(request)).toBe(requestIdOf(request))
    expect(requestIdOf(new Request('http://localhost/a'))).not.toBe(requestIdOf(request))
  })
})
