import { Refusal } from '../api/refusal.ts'
import { Notice, Pending } from './card.tsx'

/** Whether the response was 404. */
export const isGone = (error: Error | null): boolean =>
  error instanceof Refusal && error.status === 404

interface AbsentProps {
  error: Error | null
  /** Shown when the subject does not exist. */
  title: string
  text: string
  isGone?: boolean
}

/** Shown while the subject of a page is loading, missing or unreadable. */
export function Absent({ error, title, text, isGone: isKnownGone }: AbsentProps) {
  if (isKnownGone ?? isGone(error)) {
    return (
      <Notice title={title} className="py-16">
        {text}
      </Notice>
    )
  }
  return <Pending error={error} rows={4} />
}
