/** Why a schedule failed; `schedule` null: the name of the job says which. */
export interface Failure {
  schedule: string | null
  reason: string
}

/** All failures in one text. */
export const failuresText = (failures: readonly Failure[], textOf: (reason: string) => string) =>
  failures
    .map(({ schedule, reason }) => (schedule === null ? '' : `${schedule}: `) + textOf(reason))
    .join('; ')
