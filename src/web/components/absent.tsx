import { Refusal } from '../api/refusal.ts'
import { Notice, Trouble, Waiting } from './notice.tsx'

/** The answer says that there is no such thing. */
export const isGone = (error: Error | null): boolean =>
  error instanceof Refusal && error.status === 404

interface AbsentProps {
  error: Error | null
  /** Said when the thing does not exist, or not any more. */
  title: string
  text: string
  isGone?: boolean
}

/** In place of what a page is about: it is on its way, does not exist, or cannot be read. */
export function Absent({ error, title, text, isGone: isKnownGone }: AbsentProps) {
  if (isKnownGone ?? isGone(error)) {
    return (
      <Notice title={title} className="py-16">
        {text}
      </Notice>
    )
  }
  return error === null ? <Waiting rows={4} /> : <Trouble error={error} className="py-16" />
}
