/*
 * Slice size: setting, note, keys, default. `CONFIGHASH` beside the cache (or one level higher)
 * names it in the stock proxy's plain line; from the extended proxy's digest it is found by trying
 * the sizes in use. Without a note the keys of at most 64 files in at most 64 folders tell it.
 * Facts of a datasource are read at most every five seconds, keys every ten minutes.
 */
import type { Config, DatasourceConfig } from '../../core/config.ts'
import type { KeySample } from '../../engines/disk/contract.ts'
import type { DiskEngine } from '../../engines/disk/facade.ts'
import { datasourceNamed } from '../../core/http/datasource-named.ts'
import { AppError, staged, unavailable } from '../../core/http/errors.ts'
import type { Clock } from '../../core/lib/clock.ts'
import { within } from '../../core/lib/within.ts'
import type { DatasourceFacts, Datasources } from './contract.ts'
import { denialOf, schemeOf } from './schemes.ts'
import { slicesOf } from './slices.ts'

/** Lifetime of cached facts. */
const factsMs = 5000
/** Key samples stay valid for longer. */
const sampleMs = 10 * 60_000
/** Longest wait for new facts while older ones are known. */
const patienceMs = 1000

interface Known {
  facts: DatasourceFacts
  atMs: number
  /** Why they say nothing, as text: the node was away. */
  away: string | null
}

interface Parts {
  config: Pick<Config, 'datasources'>
  engine: DiskEngine
  clock: Clock
  /** Why nothing can be done with a datasource now, as text: its node is away. */
  awayText?(datasource: string): string | null
}

/** One datasource with its last facts. */
class Source {
  readonly #config: DatasourceConfig
  readonly #parts: Parts
  #known: Known | null = null
  #reading: Promise<Known> | null = null
  #sample: { keys: KeySample; atMs: number } | null = null

  constructor(config: DatasourceConfig, parts: Parts) {
    this.#config = config
    this.#parts = parts
  }

  async facts(): Promise<DatasourceFacts> {
    const known = this.#known
    const isBack = known !== null && known.away !== null && this.#away() === null
    if (known === null || isBack) return (await this.judged()).facts
    // A dead share is not asked more often for this: the disk engine lets it rest, until it is back.
    const isDead = known.facts.cacheProblem === 'unresponsive'
    const isOld = isDead || this.#nowMs() - known.atMs >= factsMs
    return isOld ? within(this.fresh(), patienceMs, known.facts) : known.facts
  }

  /** Reads now. */
  async fresh(): Promise<DatasourceFacts> {
    return (await this.#readNow()).facts
  }

  /** The same for a decision: what was read while the node was away is read again once it is back. */
  async judged(): Promise<Pick<Known, 'facts' | 'away'>> {
    for (;;) {
      const known = await this.#readNow()
      if (known.away === null || this.#away() !== null) return known
    }
  }

  #away = () => this.#parts.awayText?.(this.#config.name) ?? null

  /** Concurrent callers share one read. */
  #readNow(): Promise<Known> {
    this.#reading ??= this.#read().finally(() => (this.#reading = null))
    return this.#reading
  }

  #nowMs = () => this.#parts.clock.elapsedMs()

  async #keys(): Promise<KeySample | null> {
    const { engine } = this.#parts
    const isOld = this.#sample === null || this.#nowMs() - this.#sample.atMs >= sampleMs
    // A cache that was empty may have files by now.
    if (isOld || this.#sample?.keys.filesRead === 0) {
      const keys = await engine.ask('keys', this.#config.cachePath)
      if (keys !== null) this.#sample = { keys, atMs: this.#nowMs() }
    }
    return this.#sample?.keys ?? null
  }

  async #read(): Promise<Known> {
    const { name, cachePath, logPath, schemeOverride, sliceBytes } = this.#config
    const { engine } = this.#parts
    const away = this.#away()
    const cache = await engine.ask('cacheFolderFacts', cachePath)
    const logs = await engine.ask('logFolderFacts', logPath)
    const space = await engine.ask('space', cachePath)
    const scheme = schemeOf(schemeOverride, logs)
    const configHash = cache?.configHash ?? null
    const setting = sliceBytes ?? null
    let slices = slicesOf({ setting, configHash, sample: null, scheme })
    const sample = cache?.problem === 'none' ? await this.#keys() : null
    if (slices.sliceSource === 'default') slices = slicesOf({ setting, configHash, sample, scheme })
    const facts: DatasourceFacts = {
      name,
      cachePath,
      logPath,
      layout: logs?.layout ?? this.#known?.facts.layout ?? 'monolithic',
      scheme,
      schemeOverride,
      ...slices,
      canWriteCache: cache?.canWrite ?? false,
      canWriteLogs: logs?.canWrite ?? false,
      hasCacheFiles: (sample?.cacheFiles ?? 0) > 0,
      cacheProblem: cache?.problem ?? 'unresponsive',
      logProblem: logs?.problem ?? 'unresponsive',
      filesystem: space?.filesystem ?? this.#known?.facts.filesystem ?? 'other',
      sourceCount: logs?.sourceCount ?? 0,
    }
    return (this.#known = { facts, atMs: this.#nowMs(), away })
  }
}

const hint =
  'run the service with PUID and PGID of the user that owns the files, and mount it without `:ro`'

function refuseReadOnly(facts: DatasourceFacts, folder: 'cache' | 'logs'): never {
  const text = `The ${folder} folder of the datasource ${facts.name} is not writable: ${hint}`
  throw new AppError('invalid', text, staged(`errors.readOnly.${folder}`, { name: facts.name }))
}

/** Facts about all configured datasources, read on demand by the disk worker. */
export function createDatasources(parts: Parts): Datasources {
  /** By their configuration: the list changes when a node comes or goes. */
  const known = new WeakMap<DatasourceConfig, Source>()
  const sourceOf = (one: DatasourceConfig) =>
    known.getOrInsertComputed(one, () => new Source(one, parts))
  const listed = () => parts.config.datasources.map(sourceOf)
  const named = (name: string) => sourceOf(datasourceNamed(parts.config, name))

  async function judged(name: string | undefined) {
    if (parts.config.datasources.length === 0)
      throw new AppError('invalid', 'No datasource is configured')
    const chosen = name === undefined ? listed() : [named(name)]
    return Promise.all(chosen.map((source) => source.judged()))
  }

  return {
    facts: async (name) => named(name).facts(),
    all: () => Promise.all(listed().map((source) => source.facts())),
    inspect: () =>
      Promise.all(
        parts.config.datasources.map(async ({ name, cachePath, logPath }) => ({
          name,
          cachePath,
          logPath,
          away: parts.awayText?.(name) ?? null,
          log: await parts.engine.ask('logSample', logPath),
          cache: await parts.engine.ask('folderAccess', cachePath),
        })),
      ),
    async requireClearScheme(name) {
      for (const { facts, away } of await judged(name)) {
        if (away !== null && name !== undefined) throw unavailable(away)
        if (away !== null) continue
        const denial = denialOf(facts.name, facts.scheme)
        if (denial !== null) throw new AppError('invalid', denial)
      }
    },
    async requireWritable({ cache = false, logs = false, name, has = () => true }) {
      const all = await judged(name)
      for (const { facts, away } of all.filter((one) => has(one.facts.name))) {
        if (away !== null) throw unavailable(away)
        if (cache && !facts.canWriteCache) refuseReadOnly(facts, 'cache')
        if (logs && !facts.canWriteLogs) refuseReadOnly(facts, 'logs')
      }
    },
  }
}
