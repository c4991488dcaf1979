import { byteText, countText } from '../format/numbers.ts'
import { t, tn } from '../locales/translate.ts'

type Context = Readonly<Record<string, unknown>>
type StageText = (context: Context) => string | null

const isCount = (value: unknown): value is number => typeof value === 'number'

/** Exact to the byte, so that it can be compared with the announced amount. */
function freed(files: unknown, bytes: unknown): string | null {
  if (!isCount(files) || !isCount(bytes)) return null
  const values = { files: countText(files), bytes: byteText(bytes), exact: countText(bytes) }
  return t('stage.freed', values)
}

const partOf = (done: unknown, total: unknown): string | null =>
  isCount(done) && isCount(total)
    ? t('stage.partOf', { done: countText(done), total: countText(total) })
    : null

const stageTexts: readonly (readonly [keys: RegExp, text: StageText])[] = [
  [
    /^signalr\.(game|beta|named|service)Remove\.complete$/,
    ({ filesDeleted, bytesFreed, isHistoryPending }) => {
      const text = freed(filesDeleted, bytesFreed)
      return text !== null && isHistoryPending === true ? `${text} ${t('stage.later')}` : text
    },
  ],
  [
    /^signalr\.(game|beta|named|service)Remove\.cache\.file\.progress$/,
    ({ n, total }) => partOf(n, total),
  ],
  [
    /^signalr\.cacheClear\.complete$/,
    ({ filesDeleted, bytesDeleted }) => freed(filesDeleted, bytesDeleted),
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
    ({ downloadsRemoved }) =>
      isCount(downloadsRemoved)
        ? t('stage.forgotten', { count: countText(downloadsRemoved) })
        : null,
  ],
  [
    /^signalr\.corruptionDetect\.complete/,
    ({ count }) => (isCount(count) ? tn('stage.brokenFound', count) : null),
  ],
  [
    /^signalr\.corruptionRemove\.complete$/,
    ({ files }) => (isCount(files) ? tn('stage.brokenRemoved', files) : null),
  ],
  [
    /^signalr\.logRemoval\.complete/,
    ({ linesRemoved }) => (isCount(linesRemoved) ? tn('stage.linesRemoved', linesRemoved) : null),
  ],
]

/** Stage of a cache job with its figures; null for other jobs. */
export function cacheStage(stageKey: string, context: Context): string | null {
  return stageTexts.find(([keys]) => keys.test(stageKey))?.[1](context) ?? null
}
