const hour = 3600
const day = 24 * hour

/** Values of `since` and their seconds; anything else sets no limit. */
const spans: Readonly<Record<string, number>> = {
  '15m': 900,
  '30m': 1800,
  '1h': hour,
  '6h': 6 * hour,
  '12h': 12 * hour,
  '24h': day,
  '1d': day,
  '48h': 2 * day,
  '2d': 2 * day,
  '7d': 7 * day,
  '1w': 7 * day,
  '14d': 14 * day,
  '2w': 14 * day,
  '30d': 30 * day,
  '1m': 30 * day,
  '90d': 90 * day,
  '3m': 90 * day,
  '365d': 365 * day,
  '1y': 365 * day,
}

/** Start of the span that ends now, Unix seconds; null when the word sets no limit. */
export function sinceStart(word: string | undefined, now: Date): number | null {
  const span = word === undefined || !Object.hasOwn(spans, word) ? undefined : spans[word]
  return span === undefined ? null : Math.floor(now.getTime() / 1000) - span
}
