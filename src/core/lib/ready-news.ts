/** Whether the games that are to be ready at a time will be. */
export const readyVerdicts = ['ready', 'inTime', 'late', 'noSpace', 'unknown'] as const
export type ReadyVerdict = (typeof readyVerdicts)[number]

/** What has become of the games that are to be ready at a time. */
export interface ReadyNews {
  verdict: ReadyVerdict
  games: number
  /** The earliest one. */
  dueAt: Date | null
  /** Estimate. */
  readyAt: Date | null
  /** Platforms that games are missing from and that nobody is signed in to. */
  signedOut: readonly string[]
  builds: readonly {
    id: string
    name: string
    at: Date
    bytes: number | null
    clients: number
  }[]
}
