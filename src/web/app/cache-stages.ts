import { byteText, countText } from '../format/numbers.ts'
import { t, tn, type CountKey } from '../locales/translate.ts'

type Context = Readonly<Record<string, unknown>>
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
export function cacheStage(stageKey: string, context: Context): string | null {
  const text = stageTexts.find(([keys]) => keys.test(stageKey))?.[1](context) ?? null
  return text === null ? null : sentences(text, ...awayTexts(context))
}
