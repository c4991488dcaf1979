import type { Identity } from './identify.ts'

/** Shortest paths that are kept per content. */
export const samplesMax = 5
const sampleLengthMax = 1000

/** What a content is named by. */
export type ContentName = Pick<Identity, 'tag' | 'service' | 'titleKey'>

const comesFirst = (one: string, other: string): number =>
  one.length - other.length || (one < other ? -1 : Number(one > other))

/**
 * Adds a path if it is among the shortest, of equally long ones the first; returns whether the list
 * changed. A walk asks this for every file, so a full list compares lengths only.
 */
export function addSample(samples: string[], uri: string): boolean {
  if (uri === '' || uri.length > sampleLengthMax) return false
  const last = samples.at(-1)
  const isFull = samples.length >= samplesMax
  if (isFull && last !== undefined && uri.length >= last.length) return false
  if (samples.includes(uri)) return false
  samples.push(uri)
  samples.sort(comesFirst)
  if (samples.length > samplesMax) samples.pop()
  return true
}
