import { Type } from '@sinclair/typebox'
import { routesAt } from '../../core/http/access.ts'
import { MismatchChoice } from '../../engines/logs/wire.ts'
import { EngineFailure } from '../../engines/host.ts'
import type { SystemParts, SystemRouteParts } from '../parts.ts'
import { AppError, unavailable } from '../../core/http/errors.ts'
import { ErrorBody, example } from '../../core/http/schema.ts'

const Choice = Type.Object({ choice: MismatchChoice })

/** Goes on after a mismatch in the chosen way; throws `conflict`, `unavailable`. */
async function mendLink(
  { logs, settings }: Pick<SystemParts, 'logs' | 'settings'>,
  choice: MismatchChoice,
) {
  const { mismatch } = logs.status()
  if (mismatch === null) {
    throw new AppError('conflict', 'The log positions match the history')
  }
  if (!mismatch.choices.includes(choice)) {
    throw new AppError('conflict', 'This choice is not available', {
      extra: { choices: mismatch.choices },
    })
  }
  try {
    await logs.resolveMismatch(choice)
    // Nothing that retention deleted before is missing from what is counted now.
    if (choice === 'rebuild') settings.set('history.keptSince', null)
  } catch (error) {
    if (!(error instanceof EngineFailure)) throw error
    throw unavailable(
      'Nothing was changed: the history database is unavailable. Try again when it is back',
      5,
      error,
    )
  }
  return { choice }
}

export const historyLinkRoutes = (deps: SystemRouteParts) =>
  routesAt(deps.access, 'System', '/api/ext/history-link').post(
    '',
    ({ body }) => mendLink(deps, body.choice),
    {
      access: 'admin',
      body: example(Choice, { choice: 'goOn' }),
      response: { 200: Choice, 409: ErrorBody, 503: ErrorBody },
      detail: { summary: 'Go on when the positions of the logs and the history differ' },
    },
  )
