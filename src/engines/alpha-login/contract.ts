/** One call of a Steam sign-in. Crosses a thread as plain data. */
export interface SignInRequest {
  accountName: string
  password: string
  /** From the authenticator or an email; Steam knows which one it asked for. */
  code: string | null
  /** Whether to wait for a tap on the phone when Steam offers it. */
  allowsPhone: boolean
  phoneWaitMs: number
  /** From an earlier sign-in; with it Steam skips the email code. */
  guardToken: string | null
  /** Null: the connection that Steam's own client uses, else HTTP to this address. */
  webApiBaseUrl: string | null
}

export type CodeKind = 'email' | 'device'

/** `cancelled`: the user signed out in the meantime. */
export type RefusalReason =
  'wrongPassword' | 'tooMany' | 'busy' | 'unreachable' | 'cancelled' | 'other'

export type SignInOutcome =
  | { kind: 'signedIn'; accountName: string; refreshToken: string; guardToken: string | null }
  | {
      kind: 'codeNeeded'
      code: CodeKind
      /** A code was sent and Steam rejected it. */
      isWrong: boolean
      /** The attempt has ended at Steam: declined on the phone, or expired. */
      isExpired: boolean
    }
  | {
      kind: 'refused'
      reason: RefusalReason
      /** Name of Steam's result code, for the log; never a secret. */
      result: string | null
    }
