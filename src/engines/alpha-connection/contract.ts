/** How to log on to Steam. */
export interface AlphaAccess {
  /** Address of the directory of Steam's servers, without a trailing slash. */
  cmListBaseUrl: string
  /** Null: without an account. */
  account: { refreshToken: string; logonId: number } | null
}

/** How a session with Steam failed. */
export interface SessionFault {
  /** Name of the result that Steam sent; null: it did not answer. */
  result: string | null
  /** Steam no longer accepts the account's sign-in. */
  isRefused: boolean
}
