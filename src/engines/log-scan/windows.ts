import { windowSeconds } from './contract.ts'

/**
 * Groups kept at once: the misses of about two minutes. A 10 Gbit/s line misses 75 000 slices of 1
 * MiB a minute at most.
 */
export const maxGroups = 200_000
/** Groups with too many misses that are kept; a proxy that stores nothing has more. */
export const maxFound = 50_000
/** A line may arrive a minute late, and its misses reach back a minute from there. */
const keptSeconds = 2 * windowSeconds
/** Interval for dropping old groups: finding a map's oldest entries means skipping deleted ones. */
const sweepSeconds = 10
/** A clock that goes back this far was set; a smaller step is a line that was written late. */
const clockSetSeconds = 3600
/** Share of the groups that is searched for the least active ones when the limit is reached. */
const dropShare = 0.1

export interface Found<F, S> {
  facts: F
  /** Oldest first: at most `threshold` of them, all within the window. */
  times: number[]
  seen: S[]
}

interface Group<F, S> extends Found<F, S> {
  lastAt: number
}

/**
 * Finds groups with `threshold` sightings within a minute. Sightings arrive roughly in order of
 * time, so a group not seen for two minutes can be dropped: memory depends on the traffic of that
 * time, not on the length of the log.
 */
export class RepeatWindows<F, S> {
  lateLines = 0
  groupsDropped = 0
  /** With the sightings of the last minute that had enough of them. */
  readonly found = new Map<string, Found<F, S>>()
  readonly #threshold: number
  readonly #maxGroups: number
  /** In the order of their last sighting. */
  #groups = new Map<string, Group<F, S>>()
  #clock = 0
  #sweptAt = 0

  constructor(threshold: number, limit = maxGroups) {
    this.#threshold = threshold
    this.#maxGroups = limit
  }

  get isEmpty(): boolean {
    return this.#groups.size === 0 && this.found.size === 0
  }

  /**
   * Advances to the time of the next line. False: the line came more than a minute after later ones
   * and does not count. When the clock goes back by an hour or more, everything starts over.
   */
  advance(at: number): boolean {
    if (at >= this.#clock) {
      this.#clock = at
      if (at - this.#sweptAt >= sweepSeconds) this.#forgetOld()
      return true
    }
    if (at >= this.#clock - windowSeconds) return true
    if (at > this.#clock - clockSetSeconds) {
      this.lateLines++
      return false
    }
    this.#clock = at
    this.#sweptAt = at
    this.#groups.clear()
    return true
  }

  /** A sighting at the time of an admitted line; one before the last of its group is ignored. */
  add(key: string, at: number, sighting: S, facts: () => F): void {
    const group = this.#groups.get(key)
    if (group === undefined) {
      if (this.#groups.size >= this.#maxGroups) this.#evict()
      const begun = { facts: facts(), lastAt: at, times: [at], seen: [sighting] }
      this.#groups.set(key, begun)
      return
    }
    if (at < group.lastAt) return
    let old = group.times.length < this.#threshold ? 0 : 1
    while (old < group.times.length && at - (group.times[old] as number) > windowSeconds) old++
    group.times.splice(0, old)
    group.seen.splice(0, old)
    group.times.push(at)
    group.seen.push(sighting)
    group.lastAt = at
    this.#groups.delete(key)
    if (group.times.length === this.#threshold && !this.#keep(key, group)) return
    this.#groups.set(key, group)
  }

  #keep(key: string, { facts, times, seen }: Group<F, S>): boolean {
    const isKept = this.found.has(key) || this.found.size < maxFound
    if (isKept) this.found.set(key, { facts, times: [...times], seen: [...seen] })
    else this.groupsDropped++
    return isKept
  }

  /** Forgets a group whose sightings are disproved at `at`; later ones count again. */
  clear(key: string, at: number): void {
    for (const groups of [this.found, this.#groups]) {
      const [firstAt] = groups.get(key)?.times ?? []
      if (firstAt !== undefined && at >= firstAt) groups.delete(key)
    }
  }

  #forgetOld(): void {
    this.#sweptAt = this.#clock
    for (const [key, group] of this.#groups) {
      if (group.lastAt >= this.#clock - keptSeconds) return
      this.#groups.delete(key)
    }
  }

  /** Drops groups seen once and long ago; when all are active, the ones seen longest ago. */
  #evict(): void {
    const wanted = Math.max(1, Math.floor(this.#maxGroups * dropShare))
    const oldest: string[] = []
    let dropped = 0
    for (const [key, group] of this.#groups) {
      if (dropped >= wanted) break
      if (oldest.length < wanted) oldest.push(key)
      if (group.times.length > 1) continue
      this.#groups.delete(key)
      dropped++
    }
    if (dropped === 0) for (const key of oldest) if (this.#groups.delete(key)) dropped++
    this.groupsDropped += dropped
  }
}
