/*
 * A thread that waits inside the kernel is never ended. The runtime ends a thread by a signal and
 * waits for it. A thread that asks a dead share receives no signal, and the whole process would
 * stand still with it. `end-worker.ts` reads from `/proc` whether a thread is blocked; such a
 * worker gives up its jobs and is ended when the call returns.
 */
import { readFileSync } from 'node:fs'

/** Interval for rechecking a thread that cannot be terminated yet, in milliseconds. */
const checkEveryMs = 250
/** Kernel functions whose wait looks interruptible by a signal, but is not. */
const deafAfterSignal = /^(request_wait_answer|fuse_)/

/**
 * Whether a thread (`<pid>/task/<tid>`) is inside a system call that no signal interrupts, such as
 * a read from an unreachable share. False where the system does not report it.
 */
export function isBlocked(thread: string, proc = '/proc'): boolean {
  try {
    // The thread's name may contain anything, even spaces and brackets.
    const state = /^.*\) (\S)/s.exec(readFileSync(`${proc}/${thread}/stat`, 'utf8'))?.[1]
    if (state === 'D') return true
    return state === 'S' && deafAfterSignal.test(readFileSync(`${proc}/${thread}/wchan`, 'utf8'))
  } catch {
    return false
  }
}

/**
 * Terminates a worker as soon as possible. One that is inside the kernel is left alone until it
 * returns, which may be never: the runtime stops a thread by a signal and waits for it, which would
 * block the whole process. `threads`: its own and those that end with it; unknown ones are not
 * waited for. Null: terminated; otherwise resolves when it is.
 */
export function endWorker(
  worker: Pick<Worker, 'terminate'>,
  threads: Iterable<string>,
): Promise<void> | null {
  const blocked = [...threads]
  const isEnded = () => {
    if (blocked.some((thread) => isBlocked(thread))) return false
    worker.terminate()
    return true
  }
  if (isEnded()) return null
  return new Promise((resolve) => {
    const timer = setInterval(() => {
      if (!isEnded()) return
      clearInterval(timer)
      resolve()
    }, checkEveryMs)
    timer.unref()
  })
}
