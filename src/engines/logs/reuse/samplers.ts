import type { ReuseCurve } from '../contract.ts'
import type { IngestConfig } from '../ingest-config.ts'
import type { LogStore } from '../store.ts'
import { ReuseSampler, reuseObjectsMax } from './sampler.ts'

/** Longest time that requests are in memory only: what a kill takes from the sample. */
const saveMs = 600_000
/** The same in bytes of a log that is being read. */
const saveBytes = 512 * 1024 * 1024

/** The samples of all datasources, with their stored states. */
export class ReuseSamplers {
  readonly #samplers: ReadonlyMap<string, ReuseSampler>
  readonly #config: IngestConfig
  #saved = { atMs: performance.now(), bytes: 0 }

  constructor(store: Pick<LogStore, 'reuseSamples'>, config: IngestConfig) {
    const { datasources } = config
    const objectsMax = Math.floor(reuseObjectsMax / Math.max(1, datasources.length))
    this.#config = config
    this.#samplers = new Map(
      datasources.map(({ name }) => [name, new ReuseSampler({ objectsMax })]),
    )
    this.setSlices(config.sliceBytes ?? {})
    for (const { datasource, state } of store.reuseSamples()) {
      this.#samplers.get(datasource)?.unpack(state)
    }
  }

  of(datasource: string): ReuseSampler | null {
    return this.#samplers.get(datasource) ?? null
  }

  setSlices(sliceBytes: Readonly<Record<string, number>>): void {
    // For the samplers that replace these after a failure.
    this.#config.sliceBytes = sliceBytes
    for (const [name, sampler] of this.#samplers) {
      sampler.sliceBytes = sliceBytes[name] ?? sampler.sliceBytes
    }
  }

  /** States to store with what was read so far; none while the last ones are recent enough. */
  due(bytesRead: number, isEnd = false): { datasource: string; state: Uint8Array }[] {
    const isRecent =
      performance.now() - this.#saved.atMs < saveMs && bytesRead - this.#saved.bytes < saveBytes
    if (isRecent && !isEnd) return []
    this.#saved = { atMs: performance.now(), bytes: bytesRead }
    return [...this.#samplers].flatMap(([datasource, sampler]) => {
      if (!sampler.isChanged) return []
      sampler.isChanged = false
      return [{ datasource, state: sampler.pack() }]
    })
  }

  curves(): ReuseCurve[] {
    return [...this.#samplers].flatMap(([datasource, sampler]) => {
      const curve = sampler.curve()
      return curve === null ? [] : [{ datasource, ...curve }]
    })
  }
}
