import { EResult } from 'steam-session'
import type { RefusalReason, SignInOutcome } from './contract.ts'

const results = new Map(
  Object.values(EResult)
    .filter((value) => typeof value === 'number')
    .map((value) => [value as number, value]),
)

/** Steam's result of this number; one that the library does not know counts as `Invalid`. */
export const resultNumbered = (number: number): EResult => results.get(number) ?? EResult.Invalid

/** Steam's result behind an error of the library; null: the network, or the library itself. */
export function resultOf(error: unknown): EResult | null {
  if (!(error instanceof Error) || !('eresult' in error)) return null
  return typeof error.eresult === 'number' ? resultNumbered(error.eresult) : null
}

const wrongCode = new Set([EResult.TwoFactorCodeMismatch, EResult.InvalidLoginAuthCode])
/** What was begun is gone: declined on the phone, or too old. */
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

/** What the library says when Steam wants a proof that it does not know. */
const unknownProof = /^(Unknown auth session guard type|Login requires action)/

/** Whether Steam itself has spoken; else something on the way has failed. */
export const isAnswer = (error: unknown): boolean =>
  resultOf(error) !== null || (error instanceof Error && unknownProof.test(error.message))

/** Why Steam does not let somebody in, as far as it says so. */
export function refusalOf(error: unknown): SignInOutcome {
  if (!isAnswer(error)) return { kind: 'refused', reason: 'unreachable', result: null }
  const result = resultOf(error)
  if (result === null) return { kind: 'refused', reason: 'other', result: 'unknown proof' }
  const reason = reasons.find(([, list]) => list.includes(result))?.[0] ?? 'other'
  return { kind: 'refused', reason, result: EResult[result] ?? String(result) }
}
