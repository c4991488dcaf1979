import type { Clock } from './clock.ts'

/** An answer that everyone who asks within some time shares. */
export interface Kept<T> {
  read: () => Promise<T>
  /** Asks anew, unless a question is on its way. */
  refresh: () => Promise<T>
  /** The next reading asks anew; what is on its way is not kept. */
  forget: () => void
}

/** Keeps what `ask` answers for `keptMs`, from the call on. A failure is passed on and not kept. */
export function keep<T>(
  clock: Pick<Clock, 'elapsedMs'>,
  keptMs: number | (() => number),
  ask: () => Promise<T>,
): Kept<T> {
  const limitMs = typeof keptMs === 'number' ? () => keptMs : keptMs
  let kept: { atMs: number; answer: Promise<T>; isOpen: boolean } | null = null

  function start(): Promise<T> {
    const own = { atMs: clock.elapsedMs(), answer: ask(), isOpen: true }
    kept = own
    own.answer.then(
      () => (own.isOpen = false),
      () => kept === own && (kept = null),
    )
    return own.answer
  }

  return {
    read: () =>
      kept !== null && clock.elapsedMs() - kept.atMs < limitMs() ? kept.answer : start(),
    refresh: () => (kept?.isOpen === true ? kept.answer : start()),
    forget: () => void (kept = null),
  }
}
