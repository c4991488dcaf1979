import { clsx } from 'clsx'
import type { ReactNode } from 'react'

interface TableProps {
  label: string
  head: readonly string[]
  /** Numbers of the columns that stand right. */
  ends?: readonly number[]
  className?: string
  /** The rows. */
  children: ReactNode
}

/** A small table that scrolls sideways by itself where there is no room. */
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
