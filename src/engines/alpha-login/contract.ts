/** One call of somebody who signs in on Steam. Crosses a thread as plain data. */
export interface SignInRequest {
  accountName: string
  password: string
  /** From the authenticator or from a mail; Steam knows which one it has asked for. */
  code: string | null
  /** Whether to wait for a tap on the phone when Steam offers it. */
  allowsPhone: boolean
  phoneWaitMs: number
  /** Of an earlier sign-in: makes Steam leave out the code by mail. */
  guardToken: string | null
  /** Null: the way that Steam's own client takes, else HTTP to this address. */
  webApiBaseUrl: string | null
}

export type CodeKind = 'email' | 'device'

/** `cancelled`: somebody signed out meanwhile. */
export type RefusalReason =
  'wrongPassword' | 'tooMany' | 'busy' | 'unreachable' | 'cancelled' | 'other'

export type SignInOutcome =
  | { kind: 'signedIn'; accountName: string; refreshToken: string; guardToken: string | null }
  | {
      kind: 'codeNeeded'
      code: CodeKind
      /** A code was sent along and Steam did not take it. */
      isWrong: boolean
      /** What was begun has ended at Steam: declined on the phone, or too old. */
      isExpired: boolean
    }
  | {
      kind: 'refused'
      reason: RefusalReason
      /** Name of Steam's own result, for the log; never a secret. */
      result: string | null
    }
