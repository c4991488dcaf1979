import { clsx } from 'clsx'
import type { ReactNode } from 'react'

interface TableProps {
  label: string
  head: readonly string[]
  /** Indexes of right-aligned columns. */
  ends?: readonly number[]
  className?: string
  children: ReactNode
}

/** A small table that scrolls sideways where space is short. */
export const Table = ({ label, head, ends = [], className, children }: TableProps) => (
  <div className="overflow-x-auto" tabIndex={0} role="group" aria-label={label}>
    <table className={clsx('figure w-full text-left text-[13px]', className)}>
      <thead className="text-small text-dim">
        <tr className="border-b border-line">
          {head.map((text, column) => (
            <th
              key={text}
              scope="col"
              className={clsx('py-1.5 pr-3 font-normal', ends.includes(column) && 'text-right')}
            >
              {text}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  </div>
)
