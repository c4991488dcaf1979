import { clsx } from 'clsx'
import { refusalText } from '../api/refusal-text.ts'

/** Why a step failed; renders nothing without an error. */
export const Problem = ({ error, className }: { error: Error | null; className?: string }) =>
  error !== null && (
    <p role="alert" className={clsx('text-small text-bad', className)}>
      {refusalText(error)}
    </p>
  )
