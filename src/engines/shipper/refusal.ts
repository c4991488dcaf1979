import { failureCode } from '../../../db/history/failures.ts'
import { errorText } from '../../core/lib/error-text.ts'

/** Length limit of a reason, in characters. */
const maxReason = 300

/** Classes of codes for values: data, constraints, row limits. */
const rowClasses = ['22', '23', '54']
/** Fewer rows at once may succeed: too many locks, too long. */
const sizeCodes = ['53200', '57014']

export interface Fault {
  /** False: the batch is currently too large for the history. */
  isOfRow: boolean
  /** For administrators; the server quotes at most the refused value. */
  reason: string
}

/** Why a batch's rows were refused; null for any other error. */
export function faultOf(error: Error): Fault | null {
  const code = failureCode(error)
  const { cause } = error
  // A value that could not be serialised.
  const isOurs = code === null && cause instanceof RangeError
  const isOfRow = isOurs || rowClasses.some((name) => code?.startsWith(name) === true)
  if (!isOfRow && !sizeCodes.includes(code ?? '')) return null
  const text = errorText(cause)
  const reason = `${text}${code === null ? '' : ` (${code})`}`
  return { isOfRow, reason: reason.slice(0, maxReason) }
}
