/** Days of the growth chart. */
export const growthSpans = [7, 30, 90] as const
export type GrowthSpan = (typeof growthSpans)[number]
