import type { Operation } from '../api/queries.ts'
import type { Failure } from '../../core/lib/failures.ts'
import { byteText, countText } from '../format/numbers.ts'
import { reasonText } from '../format/reason-text.ts'
import { durationText } from '../format/times.ts'
import { t, tn, type CountKey, type Key, type Values } from '../locales/translate.ts'

type Context = Readonly<Record<string, unknown>>
type StageText = (context: Context) => string | null

/** Stages common to all jobs, by the end of their key. */
const common: readonly (readonly [ending: string, text: Key])[] = [
  ['.starting', 'stage.starting'],
  ['.complete', 'stage.complete'],
  ['.cancelled', 'stage.cancelled'],
  ['.skipped', 'stage.skipped'],
  ['.error.fatal', 'stage.fatal'],
  ['.failed', 'stage.fatal'],
  ['.stale', 'stage.stale'],
]

/** What came of signalling the proxy. */
export function signalText(isDone: boolean, detail: unknown): string {
  if (isDone) return t('stage.proxySignalled')
  if (typeof detail !== 'string') return t('stage.proxyNotSignalled')
  return t('stage.proxyNotSignalledWhy', { detail })
}

const isCount = (value: unknown): value is number => typeof value === 'number'

type Figure = string | readonly [member: string, text: (value: number) => string]

/** A text with figures of the context, each by its name there; null while one is missing. */
const figures =
  (key: Key, named: Readonly<Record<string, Figure>>): StageText =>
  (context) => {
    const values: Values = {}
    for (const [name, figure] of Object.entries(named)) {
      const [member, text] = typeof figure === 'string' ? [figure, countText] : figure
      const value = context[member]
      if (!isCount(value)) return null
      values[name] = text(value)
    }
    return t(key, values)
  }

const plural =
  (key: CountKey, member: string, least = 0): StageText =>
  (context) => {
    const value = context[member]
    return isCount(value) && value >= least ? tn(key, value) : null
  }

/** What makes a result differ from the announced amount; null without any. */
const also = (key: CountKey, member: string) => plural(key, member, 1)

/** The first text, null without it, and what there is of the others. */
const sentences =
  (first: StageText, ...others: readonly StageText[]): StageText =>
  (context) => {
    const texts = [first, ...others].map((text) => text(context))
    return texts[0] === null ? null : texts.filter((text) => text !== null).join(' · ')
  }

/** Exact to the byte, so that it can be compared with the announced amount. */
const freed = (bytes: string): StageText =>
  sentences(
    figures('stage.freed', {
      files: ['filesDeleted', (files) => tn('stage.filesRemoved', files)],
      bytes: [bytes, byteText],
      exact: bytes,
    }),
    also('stage.filesAdded', 'filesAdded'),
  )

const partOf = (done: string, total: string) => figures('stage.partOf', { done, total })

/** The server's `mb` figures are MiB. */
const mib = (value: number) => byteText(value * 1024 ** 2)

const stageTexts: readonly (readonly [keys: RegExp, text: StageText])[] = [
  [
    /^signalr\.depotMapping\.(finalized|github\.complete)$/,
    figures('stage.mapped', { mappings: 'totalMappings', named: 'downloadsUpdated' }),
  ],
  [/^signalr\.depotMapping\.scan\.skippedFullRequired$/, () => t('stage.fullNeeded')],
  [
    /^signalr\.depotMapping\.skippedAlphaUnreachable$/,
    ({ errorDetail }) =>
      typeof errorDetail === 'string'
        ? t('refused.signalr-depotMapping-skippedAlphaUnreachable', { errorDetail })
        : null,
  ],
  [/^signalr\.scheduledRun\.logRotation\.complete$/, () => signalText(true, null)],
  [/^signalr\.scheduledRun\.logRotation\.skipped$/, ({ detail }) => signalText(false, detail)],
  [/^signalr\.scheduledRun\.scheduledPrefill\.skipped$/, () => t('stage.prefillSkipped')],
  [
    /^signalr\.scheduledRun\.statusCheck\.complete$/,
    figures('stage.domains', { resolved: 'resolvedDomains', total: 'totalDomains' }),
  ],
  [/^signalr\.statusCheck\.checking$/, partOf('completedDomains', 'totalDomains')],
  [
    /^signalr\.logProcessing\.progress$/,
    figures('stage.logProgress', {
      done: ['mbProcessed', mib],
      total: ['mbTotal', mib],
      entries: 'entriesProcessed',
    }),
  ],
  [
    /^signalr\.logProcessing\.completedDetail$/,
    figures('stage.logDone', {
      entries: 'entriesProcessed',
      lines: 'linesProcessed',
      time: ['elapsed', (ms) => durationText(ms / 1000)],
    }),
  ],
  [
    /^signalr\.(game|beta|named|service)Remove\.complete$/,
    (context) => {
      const text = freed('bytesFreed')(context)
      const isLater = text !== null && context['isHistoryPending'] === true
      return isLater ? `${text} ${t('stage.later')}` : text
    },
  ],
  [/^signalr\.(game|beta|named|service)Remove\.cache\.file\.progress$/, partOf('n', 'total')],
  [/^signalr\.cacheClear\.complete$/, freed('bytesDeleted')],
  [/^signalr\.cacheClear\.progress$/, partOf('processed', 'totalDirs')],
  [
    /^signalr\.(gameDetect\.scan\.inProgress|cacheSizeScan\.scanning)$/,
    partOf('directoriesScanned', 'totalDirectories'),
  ],
  // The byte count arrives formatted in other units.
  [/^signalr\.cacheSizeScan\.complete$/, figures('stage.counted', { files: 'totalFiles' })],
  [
    /^signalr\.gameDetect\.complete\./,
    figures('stage.found', { games: 'totalGamesDetected', fresh: 'newGamesCount' }),
  ],
  [
    /^signalr\.evictionScan\.complete$/,
    figures('stage.evicted', { gone: 'totalEvicted', back: 'totalUnEvicted' }),
  ],
  [
    /^signalr\.evictionRemove\.complete$/,
    sentences(
      figures('stage.forgotten', { count: 'downloadsRemoved' }),
      also('stage.downloadsAdded', 'downloadsAdded'),
    ),
  ],
  [/^signalr\.corruptionDetect\.complete/, plural('stage.brokenFound', 'count')],
  [
    /^signalr\.corruptionRemove\.complete/,
    sentences(
      plural('stage.brokenRemoved', 'files'),
      also('stage.brokenGone', 'alreadyMissing'),
      also('stage.brokenHealed', 'healed'),
    ),
  ],
  [/^signalr\.logRemoval\.complete/, plural('stage.linesRemoved', 'linesRemoved')],
]

/** Cache servers that were away during the job. */
function awayText({ awayNodes: nodes, isAwayLater }: Context): string | null {
  if (typeof nodes !== 'string') return null
  return t(isAwayLater === true ? 'stage.awayLater' : 'stage.away', { nodes })
}

/** A stage with its figures; null where it has none. */
function figuresText(stageKey: string, context: Context): string | null {
  const text = stageTexts.find(([keys]) => keys.test(stageKey))?.[1]
  const stored = also('stage.storedSince', 'filesStoredSince')
  return text === undefined ? null : sentences(text, awayText, stored)(context)
}

/**
 * A job's stage in the user's language. Unknown keys, and known ones without figures, fall back to
 * the server's message.
 */
export function stageText(
  operation: Pick<Operation, 'stageKey' | 'context' | 'message'>,
): string | null {
  const { stageKey, context, message } = operation
  if (stageKey !== null) {
    const text = figuresText(stageKey, context ?? {})
    if (text !== null) return text
    const known = common.find(([ending]) => stageKey.endsWith(ending))
    // A job's own message is more specific than a common stage.
    if (known !== undefined) return message !== null && message !== '' ? message : t(known[1])
  }
  return message === '' ? null : message
}

/** Failures with a text of their own; the reason is in the context. */
const failures: Readonly<Record<string, StageText>> = {
  'signalr.scheduledRun.scheduledPrefill.error.fatal': ({ reason, failures }) => {
    if (reason === 'needsLogin') return t('stage.prefillLogin')
    if (reason !== 'failed') return null
    // Written by the job itself.
    const failed = failures as readonly Failure[]
    const why = failed.map((one) =>
      one.schedule === null ? reasonText(one.reason) : `${one.schedule}: ${reasonText(one.reason)}`,
    )
    const key = failed[0]?.schedule === null ? 'stage.prefillFailed' : 'stage.prefillFailedOf'
    return t(key, { failures: why.join('; ') })
  },
}

/** Their texts are those of runs. */
const prefills: ReadonlySet<string> = new Set(['prefillReady', 'prefillShelf', 'scheduledPrefill'])

/** Outcome or current stage of a job. Failures without a text use the server's own message. */
export function outcomeText(
  operation: Pick<Operation, 'type' | 'stageKey' | 'context' | 'message' | 'error'>,
): string | null {
  const { type, stageKey, context, error } = operation
  const shown = (text: string) => (prefills.has(type) ? reasonText(text) : text)
  if (error === null) {
    const text = stageText(operation)
    return text && shown(text)
  }
  // All jobs are interrupted alike; only removals of corrupted files use the key differently.
  const isInterrupted = stageKey?.endsWith('.stale') === true && type !== 'corruptionRemoval'
  if (isInterrupted) return t('stage.stale')
  return failures[stageKey ?? '']?.(context ?? {}) ?? shown(error)
}
