import type { Space } from '../../engines/disk/contract.ts'
import type { DiskEngine } from '../../engines/disk/facade.ts'
import type { Clock } from '../../core/lib/clock.ts'
import { within } from '../../core/lib/within.ts'
import type { DiskSpace, DiskState } from './contract.ts'

/** Lifetime of a disk's figures. */
const spaceMs = 5000
/** Longest wait for new figures while older ones are known. */
const patienceMs = 1000

const nothing = (state: DiskState): DiskSpace => ({
  state,
  mountPoint: '',
  device: '',
  filesystem: 'other',
  capacityBytes: 0,
  freeBytes: 0,
  usedBytes: 0,
})

interface Known {
  space: DiskSpace
  atMs: number
}

/** Reads disks and remembers each folder's mount point, so that a lost mount is noticed. */
export class Spaces {
  readonly #engine: DiskEngine
  readonly #clock: Clock
  readonly #known = new Map<string, Known>()
  readonly #reading = new Map<string, Promise<DiskSpace>>()
  /** The most specific mount point ever seen for each folder. */
  readonly #mountPoints = new Map<string, string>()

  constructor(engine: DiskEngine, clock: Clock) {
    this.#engine = engine
    this.#clock = clock
  }

  of(path: string): Promise<DiskSpace> {
    const known = this.#known.get(path)
    if (known === undefined) return this.#read(path)
    const isOld = this.#clock.elapsedMs() - known.atMs >= spaceMs
    if (!isOld) return Promise.resolve(known.space)
    return within(this.#read(path), patienceMs, known.space)
  }

  #read(path: string): Promise<DiskSpace> {
    const running = this.#reading.get(path)
    if (running !== undefined) return running
    const reading = this.#engine
      .ask('space', path)
      .then((space) => this.#judge(path, space))
      .finally(() => this.#reading.delete(path))
    this.#reading.set(path, reading)
    return reading
  }

  #judge(path: string, answer: Space | null): DiskSpace {
    const space = this.#stateOf(path, answer)
    this.#known.set(path, { space, atMs: this.#clock.elapsedMs() })
    return space
  }

  #stateOf(path: string, answer: Space | null): DiskSpace {
    if (answer === null) return nothing('unresponsive')
    if (answer.problem !== 'none') return nothing(answer.problem)
    const { isEmpty, problem: _, ...space } = answer
    const before = this.#mountPoints.get(path) ?? ''
    const isShorter = space.mountPoint.length < before.length
    // The bare folder below a lost mount is empty; one with files was moved on purpose.
    if (isShorter && isEmpty) return nothing('vanished')
    this.#mountPoints.set(path, space.mountPoint)
    return { state: 'ok', ...space, usedBytes: space.capacityBytes - space.freeBytes }
  }
}
