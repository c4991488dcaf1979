import type { logCounter } from '../../../../db/hot/schema.ts'

/** Lines by outcome, since the last commit or for all time; columns of `log_counter`. */
export type LineCounts = Omit<typeof logCounter.$inferSelect, 'datasource' | 'stem'>

export const noLines = (): LineCounts => ({
  parsedLines: 0,
  unparsedLines: 0,
  hintlessHttpDetailedLines: 0,
  invalidEncodingLines: 0,
  skippedFallbackLines: 0,
  overlongLines: 0,
  ignoredLines: 0,
  blankLines: 0,
  impossibleTimeLines: 0,
  impossibleCountLines: 0,
})

export const lineCountNames = Object.keys(noLines()) as (keyof LineCounts)[]
