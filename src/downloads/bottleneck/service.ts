import { excludedClients } from '../../clients/contract.ts'
import type { DatasourceConfig } from '../../core/config.ts'
import { AppError } from '../../core/http/errors.ts'
import type { DiskLoad } from '../../engines/disk/load.ts'
import type { TrafficLog } from '../../engines/log-scan/tail-contract.ts'
import type { DownloadsParts } from '../parts.ts'
import { utc } from '../reports/numbers.ts'
import type { Reports } from '../reports/reports.ts'
import { figuresOf, type Measured } from './figures.ts'
import { judge, sideOf, type Figures } from './judge.ts'
import type { Bottleneck } from './model.ts'
import { bestSpeeds, readSpan, type BestSpeeds } from './store.ts'

/** Examined of a long download: its middle, because at its ends few requests are under way. */
const examinedSeconds = 600
const bytesPerMbit = 125_000

export type Parts = Pick<
  DownloadsParts,
  'clock' | 'config' | 'disk' | 'logScan' | 'settings' | 'state'
>

interface Examined {
  traffic: TrafficLog
  period: { fromS: number; toS: number }
}

export function answerOf(figures: Figures, { traffic, period }: Examined): Bottleneck {
  return {
    ...judge(figures),
    side: sideOf(figures.internetShare),
    fromUtc: utc(period.fromS),
    toUtc: utc(period.toS),
    hasRequestTimes: figures.own.connections !== null,
    problem: traffic.coverage.problem,
    ...figures,
  }
}

/** What a download is compared with, besides others of the same time. */
export function measuredWith(
  settings: Parts['settings'],
  best: readonly BestSpeeds[],
  disk: DiskLoad | null,
): Measured {
  const { lineMbitPerSecond: set } = settings.get('overview.savings')
  const fastest = Math.max(0, ...best.map(({ fromInternet }) => fromInternet ?? 0))
  return {
    lineBytesPerSecond: set === null ? fastest || null : set * bytesPerMbit,
    bestOfClients: new Map(
      best.flatMap(({ client, fromCache }) => (fromCache === null ? [] : [[client, fromCache]])),
    ),
    disk,
  }
}

export async function examine(
  { config, logScan }: Parts,
  { logPath }: DatasourceConfig,
  period: Examined['period'] & { bytesMax?: number },
): Promise<Examined> {
  const traffic = await logScan.traffic({ logPath, timeZone: config.timeZone, ...period })
  return { traffic, period }
}

/** Which part of the way from the internet to its client limited one download. */
export async function bottleneckOf(parts: Parts, reports: Reports, id: number) {
  const { config, settings, state } = parts
  const [span, best] = await reports.read((sql) =>
    Promise.all([readSpan(sql, id), bestSpeeds(sql, id)]),
  )
  const source = config.datasources.find(({ name }) => name === span?.datasource)
  const { hidden } = excludedClients(state)
  if (span === null || source === undefined || hidden.includes(span.client)) {
    throw new AppError('notFound', 'Download not found')
  }
  const middleS = Math.round((span.startS + span.endS) / 2)
  const period = {
    fromS: Math.max(span.startS, middleS - examinedSeconds / 2),
    toS: Math.min(span.endS, middleS + examinedSeconds / 2),
  }
  const examined = await examine(parts, source, period)
  const measured = measuredWith(settings, best, null)
  return answerOf(figuresOf(examined.traffic, span, measured), examined)
}
