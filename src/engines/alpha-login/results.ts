import { EResult } from 'steam-session'
import type { RefusalReason, SignInOutcome } from './contract.ts'

const results = new Map(
  Object.values(EResult)
    .filter((value) => typeof value === 'number')
    .map((value) => [value as number, value]),
)

/** Steam's result with this number; unknown numbers count as `Invalid`. */
export const resultNumbered = (number: number): EResult => results.get(number) ?? EResult.Invalid

/**
 * Steam's result carried by a library error; null: a network error, or one of the library itself.
 */
export function resultOf(error: unknown): EResult | null {
  if (!(error instanceof Error) || !('eresult' in error)) return null
  return typeof error.eresult === 'number' ? resultNumbered(error.eresult) : null
}

const wrongCode = new Set([EResult.TwoFactorCodeMismatch, EResult.InvalidLoginAuthCode])
/** The attempt is gone: declined on the phone, or expired. */
const ended = new Set([EResult.Expired, EResult.ExpiredLoginAuthCode, EResult.FileNotFound])

const reasons: [RefusalReason, EResult[]][] = [
  [
    'wrongPassword',
    [
      EResult.InvalidPassword,
      EResult.AccountNotFound,
      EResult.InvalidName,
      EResult.IllegalPassword,
    ],
  ],
  [
    'tooMany',
    [
      EResult.RateLimitExceeded,
      EResult.AccountLoginDeniedThrottle,
      EResult.AccountActivityLimitExceeded,
    ],
  ],
  [
    'busy',
    [
      EResult.Busy,
      EResult.Fail,
      EResult.ServiceUnavailable,
      EResult.Timeout,
      EResult.TryAnotherCM,
      EResult.NoConnection,
      EResult.Pending,
      EResult.ServiceReadOnly,
    ],
  ],
]

export const isWrongCode = (error: unknown): boolean => {
  const result = resultOf(error)
  return result !== null && wrongCode.has(result)
}

export const isEnded = (error: unknown): boolean => {
  const result = resultOf(error)
  return result !== null && ended.has(result)
}

/** The library's errors for a kind of proof that it does not know. */
const unknownProof = /^(Unknown auth session guard type|Login requires action)/

/** Whether Steam itself answered; otherwise the connection failed. */
export const isAnswer = (error: unknown): boolean =>
  resultOf(error) !== null || (error instanceof Error && unknownProof.test(error.message))

/** Steam's reason for refusing the sign-in, as far as it gives one. */
export function refusalOf(error: unknown): SignInOutcome {
  if (!isAnswer(error)) return { kind: 'refused', reason: 'unreachable', result: null }
  const result = resultOf(error)
  if (result === null) return { kind: 'refused', reason: 'other', result: 'unknown proof' }
  const reason = reasons.find(([, list]) => list.includes(result))?.[0] ?? 'other'
  return { kind: 'refused', reason, result: EResult[result] ?? String(result) }
}
