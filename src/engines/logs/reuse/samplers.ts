import type { ReuseCurve } from '../contract.ts'
import type { IngestConfig } from '../ingest-config.ts'
import type { LogStore } from '../store.ts'
import { ReuseSampler, reuseObjectsMax, type StoredSample } from './sampler.ts'

/** The samples of all datasources, with their stored states. */
export class ReuseSamplers {
  readonly #samplers: ReadonlyMap<string, ReuseSampler>
  readonly #config: IngestConfig

  constructor(store: Pick<LogStore, 'reuseSamples'>, config: IngestConfig) {
    const { datasources } = config
    const objectsMax = Math.floor(reuseObjectsMax / Math.max(1, datasources.length))
    this.#config = config
    this.#samplers = new Map(
      datasources.map(({ name }) => [name, new ReuseSampler({ objectsMax })]),
    )
    this.setSlices(config.sliceBytes ?? {})
    for (const { datasource, ...part } of store.reuseSamples()) {
      this.#samplers.get(datasource)?.restore(part)
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

  /** What the next commit of positions stores. */
  take(): StoredSample[] {
    return [...this.#samplers].flatMap(([datasource, sampler]) => {
      const part = sampler.take()
      return part === null ? [] : [{ datasource, ...part }]
    })
  }

  curves(): ReuseCurve[] {
    return [...this.#samplers].flatMap(([datasource, sampler]) => {
      const curve = sampler.curve()
      return curve === null ? [] : [{ datasource, ...curve }]
    })
  }
}
