import { failureCode } from '../../../db/history/failures.ts'

/** Characters of a reason. */
const maxReason = 300

/** Classes of codes that speak of values: data, constraints, limits of a row. */
const rowClasses = ['22', '23', '54']
/** Fewer rows at once may pass: too many locks, too long. */
const sizeCodes = ['53200', '57014']

export interface Fault {
  /** False: the batch is too large for the history at the moment. */
  isOfRow: boolean
  /** For administrators; the server quotes at most the value that it refused. */
  reason: string
}

/** Why a batch was refused when it is because of its rows; null when it is anything else. */
export function faultOf(error: Error): Fault | null {
  const code = failureCode(error)
  const { cause } = error
  // A value that no statement could be made of.
  const isOurs = code === null && cause instanceof RangeError
  const isOfRow = isOurs || rowClasses.some((name) => code?.startsWith(name) === true)
  if (!isOfRow && !sizeCodes.includes(code ?? '')) return null
  const text = cause instanceof Error ? cause.message : String(cause)
  const reason = `${text}${code === null ? '' : ` (${code})`}`
  return { isOfRow, reason: reason.slice(0, maxReason) }
}
