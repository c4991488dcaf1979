import { excludedClients } from '../../clients/contract.ts'
import type { DatasourceConfig } from '../../core/config.ts'
import { keep } from '../../core/lib/kept.ts'
import { pause } from '../../core/lib/pause.ts'
import {
  kernelName,
  loadBetween,
  readCounters,
  type LoadCounters,
} from '../../engines/disk/load.ts'
import { EngineFailure } from '../../engines/host.ts'
import { isOfNode } from '../../engines/remote/hosts.ts'
import type { Reports } from '../reports/reports.ts'
import { figuresOf } from './figures.ts'
import { answerOf, examine, measuredWith, type Parts } from './service.ts'
import { bestSpeeds, type BestSpeeds } from './store.ts'

/** What counts as now, and how much of the log's end may hold it. */
const nowSeconds = 60
const nowBytes = 8 * 1024 * 1024
/** Downloads of the last minute that are judged, those with the most bytes. */
const judgedMax = 20
/** Between the two readings of the disk's counters. */
const measuredMs = 1000
/** Everyone who asks within this time gets the same answer. */
const keptMs = 10_000

/** What limits the current downloads. */
export function createBottleneckNow(parts: Parts, reports: Reports) {
  const { clock, config, disk, settings, state } = parts
  const countersNow = () => readCounters(clock.elapsedMs())

  let last: LoadCounters | null = null
  /** Since the last question if that is not long ago, else over a second from now. */
  async function measure(): Promise<[before: LoadCounters, after: LoadCounters]> {
    let before = last
    if (before === null || clock.elapsedMs() - before.atMs > nowSeconds * 1000) {
      before = await countersNow()
      await pause(measuredMs)
    }
    last = await countersNow()
    return [before, last]
  }

  interface Compared {
    best: readonly BestSpeeds[]
    counters: Awaited<ReturnType<typeof measure>>
  }

  async function ofSource(source: DatasourceConfig, { best, counters }: Compared) {
    const toS = Math.floor(clock.now().getTime() / 1000)
    const period = { fromS: toS - nowSeconds, toS, bytesMax: nowBytes }
    const examined = await examine(parts, source, period)
    const load = isOfNode(source.logPath)
      ? null
      : loadBetween(...counters, await kernelName((await disk.space(source.name)).device))
    const measured = measuredWith(settings, best, load)
    const { hidden } = excludedClients(state)
    return examined.traffic.rows
      .filter(({ client }) => !hidden.includes(client))
      .slice(0, judgedMax)
      .map((row) => {
        const answer = answerOf(figuresOf(examined.traffic, row, measured), examined)
        return { clientIp: row.client, service: row.tag, ...answer }
      })
  }

  async function read() {
    const best = await reports.read((sql) => bestSpeeds(sql, 0)).catch(() => [])
    const compared = { best, counters: await measure() }
    const reads = config.datasources.map((source) =>
      ofSource(source, compared).catch((error: unknown) => {
        // A node that is away tells nothing.
        if (error instanceof EngineFailure && isOfNode(source.logPath)) return []
        throw error
      }),
    )
    const found = (await Promise.all(reads)).flat()
    found.sort((a, b) => b.bytes - a.bytes)
    const decided = found.filter(({ verdict }) => verdict !== 'notEnoughData')
    const bytesOf = (wanted: string) =>
      decided.reduce((sum, { verdict, bytes }) => sum + (verdict === wanted ? bytes : 0), 0)
    const most = decided.toSorted((a, b) => bytesOf(b.verdict) - bytesOf(a.verdict))[0]
    return { download: most ?? found[0] ?? null }
  }

  return keep(clock, keptMs, read).read
}
