/**
 * `unreachable`: no answer came; `failing`: the answer, or its absence, is a passing error; `cut`:
 * the body broke off; `wrong`: the body is not the object; `lasting`: another attempt on the same
 * host changes nothing.
 */
type FaultKind = 'unreachable' | 'failing' | 'cut' | 'wrong' | 'lasting'

/** A request for content that did not bring it. */
export class ContentFault extends Error {
  readonly kind: FaultKind
  /** How long the cache asks to wait; null: it does not. */
  readonly askedPauseMs: number | null
  /** The host gives out nothing of this kind: status 403. */
  readonly isForbidden: boolean

  constructor(
    kind: FaultKind,
    text: string,
    options: { cause?: unknown; askedPauseMs?: number | null; isForbidden?: boolean } = {},
  ) {
    const { cause, askedPauseMs = null, isForbidden = false } = options
    super(text, { cause })
    this.kind = kind
    this.askedPauseMs = askedPauseMs
    this.isForbidden = isForbidden
  }
}

/** How long a `Retry-After` asks to wait, given in seconds or as a date; null: neither. */
export function retryAfterMs(value: string | undefined, now: Date): number | null {
  if (value === undefined) return null
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000
  const atMs = /^[A-Z]/.test(value) ? Date.parse(value) : NaN
  return Number.isNaN(atMs) ? null : Math.max(0, atMs - now.getTime())
}
