/** 0 to 100 with one decimal; 0 when there is nothing. */
export const percent = (part: number, whole: number): number =>
  whole === 0 ? 0 : Math.round((part * 1000) / whole) / 10

/** 0 to 1; 0 when there is nothing. */
export const ratio = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole)

/** ISO-8601 UTC of Unix seconds. */
export const utc = (seconds: number): string => new Date(Math.round(seconds * 1000)).toISOString()

/** Names under which one service appears in logs of different ages. */
export const epsilonServices: readonly string[] = ['xbox', 'xboxlive', 'microsoft']

/** One name per service for display and grouping. `wsus` stays apart: it is Windows Update. */
export const foldedService = (service: string): string =>
  epsilonServices.includes(service) ? 'xbox' : service

/** All names that a service filter stands for. */
export const serviceNames = (service: string): string[] =>
  epsilonServices.includes(service) ? [...epsilonServices] : [service]
