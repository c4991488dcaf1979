/** 0 to 100 with one decimal; 0 if the whole is 0. */
export const percent = (part: number, whole: number): number =>
  whole === 0 ? 0 : Math.round((part * 1000) / whole) / 10

/** 0 to 1; 0 if the whole is 0. */
export const ratio = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole)

/**
 * Mean speed of timed downloads, weighted by bytes; 0 without any. In whole bytes: sums of fractions
 * differ in their last digits with the order in which Postgres adds them.
 */
export const meanSpeed = (sums: { timedBytes: number; speedWeight: number } | null): number =>
  sums === null || sums.timedBytes === 0 ? 0 : Math.round(sums.speedWeight / sums.timedBytes)

/** Years 1 to 9999, in Unix seconds: what ISO-8601 and its readers agree on. */
const firstInstant = -62_135_596_800
const lastInstant = 253_402_300_799

/** Unix seconds as answers can show them: a row of an older version may hold any time. */
export const shownSeconds = (seconds: number): number =>
  Math.min(Math.max(seconds, firstInstant), lastInstant)

/** ISO-8601 UTC of Unix seconds, clamped. */
export const utc = (seconds: number): string =>
  new Date(Math.round(shownSeconds(seconds) * 1000)).toISOString()

/** Names of one service in logs of different ages. */
export const epsilonServices: readonly string[] = ['xbox', 'xboxlive', 'microsoft']

/** A service's name for display and grouping. `wsus` stays separate: it is Windows Update. */
export const foldedService = (service: string): string =>
  epsilonServices.includes(service) ? 'xbox' : service

/** All log names that a service filter covers. */
export const serviceNames = (service: string): string[] =>
  epsilonServices.includes(service) ? [...epsilonServices] : [service]
