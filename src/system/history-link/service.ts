import type { SystemParts } from '../parts.ts'
import { EngineFailure } from '../../engines/host.ts'
import { AppError, unavailable } from '../../core/http/errors.ts'
import type { MismatchChoice } from '../../engines/logs/wire.ts'

/** Goes on after a mismatch in the chosen way; throws `conflict`, `unavailable`. */
export async function mendLink({ logs }: Pick<SystemParts, 'logs'>, choice: MismatchChoice) {
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
