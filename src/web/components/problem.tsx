import { clsx } from 'clsx'
import { refusalText } from '../api/refusal-text.ts'

/** Why a step failed; nothing while it did not. */
export const Problem = ({ error, className }: { error: Error | null; className?: string }) =>
  error !== null && (
    <p role="alert" className={clsx('text-small text-bad', className)}>
      {refusalText(error)}
    </p>
  )
