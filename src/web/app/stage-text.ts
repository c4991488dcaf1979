import type { Operation } from '../api/queries.ts'
import { byteText, countText } from '../format/numbers.ts'
import { durationText } from '../format/times.ts'
import { t, type Key, tn, type CountKey } from '../locales/translate.ts'

type Context = Readonly<Record<string, unknown>>

/** The server's `mb` figures are MiB. */
const megabyte = 1024 ** 2

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

const count = (value: unknown): string | null =>
  typeof value === 'number' ? countText(value) : null

/** What came of signalling the proxy. */
export function signalText(isDone: boolean, detail: unknown): string {
  if (isDone) return t('stage.proxySignalled')
  if (typeof detail !== 'string') return t('stage.proxyNotSignalled')
  return t('stage.proxyNotSignalledWhy', { detail })
}

const mapped = ({ totalMappings, downloadsUpdated }: Context): string | null => {
  const [mappings, named] = [count(totalMappings), count(downloadsUpdated)]
  return mappings === null || named === null ? null : t('stage.mapped', { mappings, named })
}

const own: Readonly<Record<string, (context: Context) => string | null>> = {
  'signalr.depotMapping.finalized': mapped,
  'signalr.depotMapping.github.complete': mapped,
  'signalr.scheduledRun.logRotation.complete': () => signalText(true, null),
  'signalr.scheduledRun.logRotation.skipped': ({ detail }) => signalText(false, detail),
  'signalr.scheduledRun.scheduledPrefill.skipped': () => t('stage.prefillSkipped'),
  'signalr.scheduledRun.statusCheck.complete': ({ resolvedDomains, totalDomains }) => {
    const [resolved, total] = [count(resolvedDomains), count(totalDomains)]
    return resolved === null || total === null ? null : t('stage.domains', { resolved, total })
  },
  'signalr.statusCheck.checking': ({ completedDomains, totalDomains }) => {
    const [done, total] = [count(completedDomains), count(totalDomains)]
    return done === null || total === null ? null : t('stage.partOf', { done, total })
  },
  'signalr.logProcessing.progress': ({ mbProcessed, mbTotal, entriesProcessed }) => {
    const entries = count(entriesProcessed)
    if (typeof mbProcessed !== 'number' || typeof mbTotal !== 'number' || entries === null) {
      return null
    }
    return t('stage.logProgress', {
      done: byteText(mbProcessed * megabyte),
      total: byteText(mbTotal * megabyte),
      entries,
    })
  },
  'signalr.logProcessing.completedDetail': ({ elapsed, entriesProcessed, linesProcessed }) => {
    const [entries, lines] = [count(entriesProcessed), count(linesProcessed)]
    if (typeof elapsed !== 'number' || entries === null || lines === null) return null
    return t('stage.logDone', { entries, lines, time: durationText(elapsed / 1000) })
  },
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
    const text = own[stageKey]?.(context ?? {}) ?? cacheStage(stageKey, context ?? {})
    if (text !== null && text !== undefined) return text
    const known = common.find(([ending]) => stageKey.endsWith(ending))
    // A job's own message is more specific than a common stage.
    if (known !== undefined) return message !== null && message !== '' ? message : t(known[1])
  }
  return message === '' ? null : message
}

/** Failures with a text of their own; the reason is in the context. */
const failures: Readonly<Record<string, (context: Context) => string | null>> = {
  'signalr.scheduledRun.scheduledPrefill.error.fatal': ({ reason, schedules }) => {
    if (reason === 'needsLogin') return t('stage.prefillLogin')
    if (reason !== 'failed') return null
    if (typeof schedules !== 'string') return t('stage.prefillFailed')
    return t('stage.prefillFailedOf', { schedules })
  },
}

/** Outcome or current stage of a job. Failures without a text use the server's own message. */
export function outcomeText(
  operation: Pick<Operation, 'type' | 'stageKey' | 'context' | 'message' | 'error'>,
): string | null {
  const { type, stageKey, context, error } = operation
  if (error === null) return stageText(operation)
  // All jobs are interrupted alike; only removals of corrupted files use the key differently.
  const isInterrupted = stageKey?.endsWith('.stale') === true && type !== 'corruptionRemoval'
  if (isInterrupted) return t('stage.stale')
  return failures[stageKey ?? '']?.(context ?? {}) ?? error
}

type StageText = (context: Context) => string | null

const isCount = (value: unknown): value is number => typeof value === 'number'

/** Exact to the byte, so that it can be compared with the announced amount. */
function freed(files: unknown, bytes: unknown, added: unknown): string | null {
  if (!isCount(files) || !isCount(bytes)) return null
  const removed = tn('stage.filesRemoved', files)
  const values = { files: removed, bytes: byteText(bytes), exact: countText(bytes) }
  return sentences(t('stage.freed', values), counted('stage.filesAdded', added))
}

/** A result, and what makes it differ from the announced amount. */
const sentences = (...parts: readonly (string | null)[]): string =>
  parts.filter((part) => part !== null).join(' · ')

/** Null without any. */
const counted = (key: CountKey, count: unknown): string | null =>
  isCount(count) && count > 0 ? tn(key, count) : null

const partOf = (done: unknown, total: unknown): string | null =>
  isCount(done) && isCount(total)
    ? t('stage.partOf', { done: countText(done), total: countText(total) })
    : null

const stageTexts: readonly (readonly [keys: RegExp, text: StageText])[] = [
  [
    /^signalr\.(game|beta|named|service)Remove\.complete$/,
    ({ filesDeleted, bytesFreed, filesAdded, isHistoryPending }) => {
      const text = freed(filesDeleted, bytesFreed, filesAdded)
      return text !== null && isHistoryPending === true ? `${text} ${t('stage.later')}` : text
    },
  ],
  [
    /^signalr\.(game|beta|named|service)Remove\.cache\.file\.progress$/,
    ({ n, total }) => partOf(n, total),
  ],
  [
    /^signalr\.cacheClear\.complete$/,
    ({ filesDeleted, bytesDeleted, filesAdded }) => freed(filesDeleted, bytesDeleted, filesAdded),
  ],
  [/^signalr\.cacheClear\.progress$/, ({ processed, totalDirs }) => partOf(processed, totalDirs)],
  [
    /^signalr\.(gameDetect\.scan\.inProgress|cacheSizeScan\.scanning)$/,
    ({ directoriesScanned, totalDirectories }) => partOf(directoriesScanned, totalDirectories),
  ],
  [
    /^signalr\.cacheSizeScan\.complete$/,
    // The byte count arrives formatted in other units.
    ({ totalFiles }) =>
      isCount(totalFiles) ? t('stage.counted', { files: countText(totalFiles) }) : null,
  ],
  [
    /^signalr\.gameDetect\.complete\./,
    ({ totalGamesDetected: games, newGamesCount: fresh }) =>
      isCount(games) && isCount(fresh)
        ? t('stage.found', { games: countText(games), fresh: countText(fresh) })
        : null,
  ],
  [
    /^signalr\.evictionScan\.complete$/,
    ({ totalEvicted: gone, totalUnEvicted: back }) =>
      isCount(gone) && isCount(back)
        ? t('stage.evicted', { gone: countText(gone), back: countText(back) })
        : null,
  ],
  [
    /^signalr\.evictionRemove\.complete$/,
    ({ downloadsRemoved, downloadsAdded }) =>
      isCount(downloadsRemoved)
        ? sentences(
            t('stage.forgotten', { count: countText(downloadsRemoved) }),
            counted('stage.downloadsAdded', downloadsAdded),
          )
        : null,
  ],
  [
    /^signalr\.corruptionDetect\.complete/,
    ({ count }) => (isCount(count) ? tn('stage.brokenFound', count) : null),
  ],
  [
    /^signalr\.corruptionRemove\.complete/,
    ({ files, alreadyMissing, healed }) =>
      isCount(files)
        ? sentences(
            tn('stage.brokenRemoved', files),
            counted('stage.brokenGone', alreadyMissing),
            counted('stage.brokenHealed', healed),
          )
        : null,
  ],
  [
    /^signalr\.logRemoval\.complete/,
    ({ linesRemoved }) => (isCount(linesRemoved) ? tn('stage.linesRemoved', linesRemoved) : null),
  ],
]

/** The part of cache servers that were away, and what they have kept. */
function awayTexts({ awayNodes: nodes, isAwayLater, filesStoredSince }: Context) {
  const isNamed = typeof nodes === 'string'
  const away = isNamed
    ? t(isAwayLater === true ? 'stage.awayLater' : 'stage.away', { nodes })
    : null
  return [away, counted('stage.storedSince', filesStoredSince)]
}

/** Stage of a cache job with its figures; null for other jobs. */
function cacheStage(stageKey: string, context: Context): string | null {
  const text = stageTexts.find(([keys]) => keys.test(stageKey))?.[1](context) ?? null
  return text === null ? null : sentences(text, ...awayTexts(context))
}
