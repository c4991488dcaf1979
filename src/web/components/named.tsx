import type { ReactNode } from 'react'

/** Names are read in full: two lines fit into a row. A long address has no place to break. */
export const fullName = 'line-clamp-2 wrap-break-word font-medium leading-[17px] whitespace-normal'

/** A name of up to two lines, broken between words, with a dim line below. */
export function Named({ name, note }: { name: ReactNode; note?: ReactNode }) {
  return (
    <>
      <span className={fullName}>{name}</span>
      {note !== undefined && note !== null && note !== '' && (
        <span className="figure block truncate text-small text-dim">{note}</span>
      )}
    </>
  )
}
