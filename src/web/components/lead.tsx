import { clsx } from 'clsx'
import type { ReactNode } from 'react'
import type { Amount } from '../format/numbers.ts'
import { Explain } from './explain.tsx'
import type { Explained } from './explained.ts'

interface LeadProps {
  title: string
  explained?: Omit<Explained, 'name'>
  amount: Amount | null
  isLoading: boolean
  className?: string
  children?: ReactNode
}

/** A large figure at the top of a page with its meaning. */
export function Lead({ title, explained, amount, isLoading, className, children }: LeadProps) {
  return (
    <div className={clsx('min-w-0 border-line px-5 py-4', className)}>
      <div className="flex items-center gap-1 text-small text-dim">
        <h2>{title}</h2>
        {explained !== undefined && <Explain {...explained} name={title} />}
      </div>
      <p className="figure mt-1.5 flex items-baseline gap-1.5 text-lead leading-9 font-bold tracking-tight">
        {isLoading ? (
          <span className="skeleton my-1 h-7 w-28" />
        ) : (
          <>
            {amount?.value ?? '–'}
            <span className="text-[15px] font-normal tracking-normal text-dim">{amount?.unit}</span>
          </>
        )}
      </p>
      {/* Space for three lines and a bar, so that nothing moves when the figures load. */}
      <div className="mt-1 min-h-[60px] text-small text-dim">{children}</div>
    </div>
  )
}
