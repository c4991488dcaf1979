import { expect, test } from 'bun:test'
import { Elysia } from 'elysia'
import { quietLog } from '../../../test/support/quiet-log.ts'
import { HistorySlow, HistoryUnavailable } from '../../../db/history/history.ts'
import { EngineAway, EngineEnded, EngineFailure, EngineSilent } from '../../engines/host.ts'
import { SealError } from '../lib/seal.ts'
import { errors } from './errors.ts'

const app = (error: Error) =>
  new Elysia().use(errors({ log: quietLog, unmatched: () => new Response() })).get('/', () => {
    throw error
  })

test.each([
  ['history', new HistoryUnavailable('away'), 503, { stageKey: 'errors.unavailable.history' }],
  [
    'slow history',
    new HistorySlow(60),
    503,
    {
      error: 'The history did not answer within 60 s; ask for less',
      stageKey: 'errors.unavailable.historySlow',
      context: { seconds: 60 },
    },
  ],
  ['silent engine', new EngineSilent('silent'), 503, { stageKey: 'errors.engine.silent' }],
  ['ended engine', new EngineEnded('ended'), 503, { stageKey: 'errors.engine.restarting' }],
  ['engine of a node', new EngineAway('barn is away'), 503, { error: 'barn is away' }],
  ['failed engine', new EngineFailure('failed'), 503, { stageKey: 'errors.engine.failed' }],
  [
    'lost key file',
    new SealError('the secret key file cannot be read'),
    503,
    { error: 'It could not be stored: the key file of this installation is unusable' },
  ],
  ['any other error', new Error('secret'), 500, { stageKey: 'errors.unexpected' }],
])('%s: the answer has the key of its text', async (_name, error, status, body) => {
  const answer = await app(error).handle(new Request('http://localhost/'))
  expect(answer.status).toBe(status)
  const sent = (await answer.json()) as { error: string }
  expect(sent).toMatchObject(body)
  expect(sent.error).not.toContain('secret')
})
