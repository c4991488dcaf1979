import { makeTag } from '../logs/lines/line.ts'
import type { SeriesHint } from '../logs/lines/parse-line.ts'
import { serviceOfStem, sharedStem } from '../logs/lines/service-name.ts'

/** What a log file's name reveals about its lines. */
export const hintOf = (stem: string): SeriesHint => {
  const service = serviceOfStem[stem]
  const tag = stem === sharedStem || service == null ? null : makeTag(service, service)
  return { tag, isFallback: service === null }
}
