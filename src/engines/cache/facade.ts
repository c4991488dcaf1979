import { isDamageText } from '../../../db/damage.ts'
import type { Logger } from '../../core/lib/log.ts'
import { within } from '../../core/lib/within.ts'
import { Engine, EngineSilent } from '../host.ts'
import type { CacheJobs } from './cache.worker.ts'
import { createCorruption } from './corruption/corruption.ts'
import { createDoctorEngine } from './doctor/doctor.ts'
import type { CacheEngine } from './cache-engine.ts'
import type {
  CacheContent,
  CacheRoot,
  ClearOptions,
  ClearOutcome,
  ClearProgress,
  DeletionRate,
  ObjectName,
  RemovalOptions,
  RemovalOutcome,
  RemovalProgress,
  RemovalSelection,
  RootState,
  SizeScan,
  WalkDepth,
  WalkOutcome,
  WalkProgress,
} from './contract.ts'
import type { Corruption } from './corruption/corruption-contract.ts'
import type { Doctor } from './doctor/doctor-contract.ts'
import { WalkQueue, type WalkRequest } from './index/walk-queue.ts'

const firstRestartMs = 500
const lastRestartMs = 60_000
/** A worker that ran this long was healthy: the next crash starts with the shortest back-off. */
const healthyMs = 60_000
/** How long a query waits for the index to open. */
const openTimeoutMs = 7000
/** Closing the index takes milliseconds; only a blocked disk takes this long. */
const stopTimeoutMs = 4000

export interface CacheEngineParts {
  dataPath: string
  log: Logger
  /** The currently configured trees; read again before every walk. */
  roots(): Promise<CacheRoot[]>
}

interface Run<Progress> {
  signal: AbortSignal
  progress(report: Progress): void
}

class WorkerCacheEngine implements CacheEngine {
  readonly #engine: Engine<CacheJobs>
  readonly #parts: CacheEngineParts
  readonly #walks = new WalkQueue((request, run) => this.#walk(request, run))
  readonly #listeners: (() => void)[] = []
  readonly corruption: Corruption
  readonly doctor: Doctor
  /** Settles when the index is open; replaced at every start of the worker. */
  #ready: Promise<void> = Promise.resolve()
  #roots = ''
  #damagedCopy: string | null = null
  #isStopped = true
  #startedAtMs = 0
  #restartMs = firstRestartMs
  #restart: ReturnType<typeof setTimeout> | null = null

  constructor(parts: CacheEngineParts) {
    this.#parts = parts
    this.#engine = new Engine<CacheJobs>({
      name: 'cache',
      script: new URL('./cache.worker.ts', import.meta.url).href,
      log: parts.log,
      hasSmallHeap: true,
      onCrash: () => this.#launchLater(),
      // The next start checks the file and rebuilds it.
      onFailed: (message) => {
        if (!isDamageText(message)) return
        this.#engine.kill('the index of the cache is damaged')
        this.#launchLater()
      },
    })
    this.corruption = createCorruption(this.#engine, () => this.#opened())
    const ready = () => this.#opened()
    this.doctor = createDoctorEngine(this.#engine, { ready, changed: () => this.#announce() })
  }

  start(): Promise<void> {
    this.#isStopped = false
    this.#launch()
    return Promise.resolve()
  }

  damagedCopy = (): string | null => this.#damagedCopy

  async stop(): Promise<void> {
    if (this.#isStopped) return
    this.#isStopped = true
    if (this.#restart !== null) clearTimeout(this.#restart)
    await Promise.race([
      this.#engine.run('stop', null).catch(() => {}),
      new Promise<void>((resolve) => setTimeout(resolve, stopTimeoutMs).unref()),
    ])
    this.#engine.kill('the cache engine was stopped')
  }

  walk(
    options: { datasource: string | null; depth: WalkDepth; accept?: boolean },
    run: Run<WalkProgress>,
  ): Promise<WalkOutcome[]> {
    return this.#walks.walk({ accept: false, ...options }, run)
  }

  async roots(): Promise<RootState[]> {
    await this.#opened()
    return this.#engine.ask('roots', null)
  }

  async contents(): Promise<CacheContent[]> {
    await this.#opened()
    return this.#engine.ask('contents', null)
  }

  async present(names: ObjectName[]): Promise<(boolean | null)[]> {
    await this.#opened()
    return this.#engine.ask('present', names)
  }

  async paths(contentIds: number[], limit: number): Promise<string[]> {
    await this.#opened()
    return this.#engine.ask('paths', { contentIds, limit })
  }

  async samplePaths(contents: CacheContent[]): Promise<Record<number, string[]>> {
    await this.#opened()
    return this.#engine.ask('samplePaths', contents)
  }

  async remove(
    selection: RemovalSelection,
    run: Run<RemovalProgress>,
    options: RemovalOptions = { removesEmptyFolders: false, networkDatasources: [] },
  ): Promise<RemovalOutcome> {
    await this.#ready
    const input = { selection, ...options }
    const outcome = await this.#engine.run('remove', input, {
      signal: run.signal,
      // The job reports exactly this shape, as plain data across the thread.
      progress: (report) => run.progress(report as unknown as RemovalProgress),
    })
    this.#announce()
    return outcome
  }

  async clear(options: ClearOptions, run: Run<ClearProgress>): Promise<ClearOutcome> {
    await this.#ready
    await this.#configure()
    const outcome = await this.#engine.run('clear', options, {
      signal: run.signal,
      // The job reports exactly this shape, as plain data across the thread.
      progress: (report) => run.progress(report as unknown as ClearProgress),
    })
    this.#announce()
    return outcome
  }

  async forceKill(): Promise<void> {
    this.#engine.kill('the cache engine was killed')
    if (this.#isStopped) return
    this.#launch()
    await this.#ready.catch(() => {})
  }

  onChange(listener: () => void): void {
    this.#listeners.push(listener)
  }

  async lastSizeScan(): Promise<SizeScan | null> {
    await this.#opened()
    return this.#engine.ask('lastSizeScan', null)
  }

  async saveSizeScan(facts: Pick<SizeScan, 'scanDurationMs' | 'usage'>): Promise<SizeScan> {
    await this.#ready
    return this.#engine.run('saveSizeScan', facts)
  }

  async deletionRate(): Promise<DeletionRate> {
    await this.#opened()
    return this.#engine.ask('deletionRate', { dataPath: this.#parts.dataPath })
  }

  async #walk(request: WalkRequest, run: Run<WalkProgress>): Promise<WalkOutcome[]> {
    await this.#ready
    await this.#configure()
    const outcomes = await this.#engine.run('walk', request, {
      signal: run.signal,
      // The job reports exactly this shape, as plain data across the thread.
      progress: (report) => run.progress(report as unknown as WalkProgress),
    })
    if (outcomes.some(({ added, removed, headersRead }) => added + removed + headersRead > 0)) {
      this.#announce()
    }
    return outcomes
  }

  async #configure(): Promise<void> {
    const roots = await this.#parts.roots()
    const text = JSON.stringify(roots)
    if (text === this.#roots) return
    await this.#engine.run('configure', roots)
    this.#roots = text
  }

  /** Opening the index accesses the caches, one of which may be unreachable. */
  async #opened(): Promise<void> {
    const isOpen = await within(
      this.#ready.then(() => true),
      openTimeoutMs,
      false,
    )
    if (!isOpen) throw new EngineSilent('the index of the caches is not open')
  }

  #announce(): void {
    for (const listener of this.#listeners) listener()
  }

  #launch(): void {
    this.#startedAtMs = performance.now()
    this.#ready = this.#open()
    this.#ready.catch((error: unknown) => {
      this.#parts.log.error({ error: String(error) }, 'the cache engine did not start')
      this.#launchLater()
    })
  }

  async #open(): Promise<void> {
    const { dataPath } = this.#parts
    const roots = await this.#parts.roots()
    const copy = await this.#engine.run('start', { dataPath, roots })
    this.#damagedCopy = copy ?? this.#damagedCopy
    this.#roots = JSON.stringify(roots)
  }

  #launchLater(): void {
    if (this.#restart !== null || this.#isStopped) return
    if (performance.now() - this.#startedAtMs > healthyMs) this.#restartMs = firstRestartMs
    this.#restart = setTimeout(() => {
      this.#restart = null
      if (!this.#isStopped) this.#launch()
    }, this.#restartMs)
    this.#restart.unref()
    this.#restartMs = Math.min(lastRestartMs, this.#restartMs * 2)
  }
}

/** The cache engine and its worker. Idle until `start`. */
export const createCacheEngine = (parts: CacheEngineParts): CacheEngine =>
  new WorkerCacheEngine(parts)
