import type { ReactNode } from 'react'

/** A name with a dim line below; both are truncated. */
export function Named({ name, note }: { name: ReactNode; note?: ReactNode }) {
  return (
    <>
      <span className="block truncate font-medium">{name}</span>
      {note !== undefined && note !== null && note !== '' && (
        <span className="figure block truncate text-small text-dim">{note}</span>
      )}
    </>
  )
}
