import type { Watch } from '../../engine.ts'
import type { WalkDepth, WalkOutcome, WalkProgress } from '../contract.ts'

export interface WalkRequest {
  datasource: string | null
  depth: WalkDepth
  accept: boolean
}

type WalkWatcher = Watch<WalkProgress>

interface CurrentWalk {
  request: WalkRequest
  watchers: Set<WalkWatcher>
  controller: AbortController
  outcome: Promise<WalkOutcome[]>
}

type StartWalk = (request: WalkRequest, watcher: WalkWatcher) => Promise<WalkOutcome[]>

const depths: readonly WalkDepth[] = ['directories', 'fingerprints', 'headers']

function includes(one: WalkRequest, other: WalkRequest): boolean {
  const isDeepEnough = depths.indexOf(one.depth) >= depths.indexOf(other.depth)
  const isWideEnough = one.datasource === null || one.datasource === other.datasource
  return isDeepEnough && isWideEnough && (one.accept || !other.accept)
}

/** One walk at a time. A call for no more than the running walk joins it; others are queued. */
export class WalkQueue {
  readonly #start: StartWalk
  #current: CurrentWalk | null = null

  constructor(start: StartWalk) {
    this.#start = start
  }

  get isBusy(): boolean {
    return this.#current !== null
  }

  async walk(request: WalkRequest, watcher: WalkWatcher): Promise<WalkOutcome[]> {
    while (this.#current !== null) {
      const current = this.#current
      if (includes(current.request, request) && !current.controller.signal.aborted) {
        return this.#join(current, watcher)
      }
      await current.outcome.catch(() => {})
    }
    return this.#join(this.#begin(request), watcher)
  }

  #begin(request: WalkRequest): CurrentWalk {
    const watchers = new Set<WalkWatcher>()
    const controller = new AbortController()
    const progress = (report: WalkProgress) => {
      for (const watcher of watchers) watcher.progress(report)
    }
    const outcome = this.#start(request, { signal: controller.signal, progress }).finally(() => {
      this.#current = null
    })
    const current = { request, watchers, controller, outcome }
    this.#current = current
    return current
  }

  /** A walk ends early only when all its callers have cancelled. */
  async #join(current: CurrentWalk, watcher: WalkWatcher): Promise<WalkOutcome[]> {
    const { watchers, controller, outcome } = current
    watchers.add(watcher)
    const leave = () => {
      watchers.delete(watcher)
      if (watchers.size === 0) controller.abort()
    }
    watcher.signal.addEventListener('abort', leave, { once: true })
    if (watcher.signal.aborted) leave()
    try {
      return await outcome
    } finally {
      watcher.signal.removeEventListener('abort', leave)
      watchers.delete(watcher)
    }
  }
}
