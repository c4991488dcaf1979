import { AppError, unavailable } from '../../core/http/errors.ts'
import { MessageError } from '../protocol/fields.ts'
import { CommandTimeout, ConnectionLost, TransportError } from '../transports/contract.ts'
import { DaemonRefused } from './daemon-client.ts'

/** What a failure of a daemon is answered with; other errors stay what they are. */
export function refusalOf(error: unknown): unknown {
  if (error instanceof DaemonRefused) return new AppError('conflict', error.message)
  if (error instanceof CommandTimeout) return unavailable(error.message, 10, error)
  if (error instanceof ConnectionLost) return unavailable(error.message, 10, error)
  if (error instanceof MessageError) {
    return new AppError('unavailable', 'The daemon’s answer cannot be read', { cause: error })
  }
  if (!(error instanceof TransportError)) return error
  const kind = error.reason === 'busy' ? 'conflict' : 'unavailable'
  return new AppError(kind, error.message, { cause: error })
}

/** The result of asking a daemon. Throws AppError when it fails. */
export async function answered<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw refusalOf(error)
  }
}

export const failureText = (error: unknown): string => {
  const shown = refusalOf(error)
  return shown instanceof AppError ? shown.message : 'Prefill failed to start'
}
