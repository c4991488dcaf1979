import { readFileSync } from 'node:fs'

/** How often a thread that cannot be ended yet is looked at again, milliseconds. */
const lookEveryMs = 250
/** Where a thread waits that looks as if a signal would reach it, and then does not. */
const deafAfterSignal = /^(request_wait_answer|fuse_)/

/**
 * Is a thread (`<pid>/task/<tid>`) inside a system call that no signal ends, such as one about a file
 * of a share that is gone? False where the system does not tell.
 */
export function isBlocked(thread: string, proc = '/proc'): boolean {
  try {
    // The name of the thread may hold anything, also spaces and brackets.
    const state = /^.*\) (\S)/s.exec(readFileSync(`${proc}/${thread}/stat`, 'utf8'))?.[1]
    if (state === 'D') return true
    return state === 'S' && deafAfterSignal.test(readFileSync(`${proc}/${thread}/wchan`, 'utf8'))
  } catch {
    return false
  }
}

/**
 * Ends a worker as soon as that is possible. One that is inside the kernel is left alone until it
 * comes back, which may be never: the run-time stops a thread by a signal and waits for it, and the
 * whole process would stand still with it. `threads`: its own and those that end with it; unknown
 * ones are not waited for. `ended` is called once.
 */
export function endWorker(
  worker: Pick<Worker, 'terminate'>,
  threads: Iterable<string>,
  ended: () => void = () => {},
): void {
  if ([...threads].some((thread) => isBlocked(thread))) {
    setTimeout(() => endWorker(worker, threads, ended), lookEveryMs).unref()
    return
  }
  worker.terminate()
  ended()
}
