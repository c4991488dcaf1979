/** Lines by outcome, since the last commit or for all time; columns of `log_counter`. */
export interface LineCounts {
  parsedLines: number
  unparsedLines: number
  hintlessHttpDetailedLines: number
  invalidEncodingLines: number
  skippedFallbackLines: number
  overlongLines: number
  ignoredLines: number
  blankLines: number
  /** Parsed, but with an impossible time or byte count. */
  impossibleTimeLines: number
  impossibleCountLines: number
}

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
