import { clsx } from 'clsx'
import type { ReactNode } from 'react'
import type { Amount } from '../format/numbers.ts'
import { Explain } from './explain.tsx'
import type { Explained } from './explained.ts'

interface LeadProps {
  title: string
  explained?: Omit<Explained, 'name'>
  amount: Amount | null
  /** The same in other units, `Further`. */
  further?: ReactNode
  isLoading: boolean
  className?: string
  children?: ReactNode
}

/** Its line is not higher than its letters: beside the larger value it would make the line higher. */
const unitClass = 'text-[15px] leading-none font-normal tracking-normal text-dim'

/** A large figure at the top of a page with its meaning. */
export function Lead(props: LeadProps) {
  const { title, explained, amount, further, isLoading, className, children } = props
  return (
    <div className={clsx('min-w-0 border-line px-5 py-4', className)}>
      <div className="flex items-center gap-1 text-small text-dim">
        <h2>{title}</h2>
        {explained !== undefined && <Explain {...explained} name={title} />}
      </div>
      <p className="figure mt-1.5 flex flex-wrap items-baseline gap-x-1.5 text-lead leading-9 font-bold tracking-tight">
        {isLoading ? (
          <span className="skeleton my-1 h-7 w-28" />
        ) : (
          <>
            {amount?.value ?? '–'}
            <span className={unitClass}>{amount?.unit}</span>
            {/* On a tablet and up to a desktop there is no room for it in one line. */}
            <span className="flex flex-wrap gap-x-1.5 sm:max-xl:basis-full sm:max-xl:text-[15px] sm:max-xl:leading-6">
              {further}
            </span>
          </>
        )}
      </p>
      {/* Space for three lines and a bar, so that nothing moves when the figures load. */}
      <div className="mt-1 min-h-[60px] text-small text-dim">{children}</div>
    </div>
  )
}

/** The same amount in another unit; its title says how it was converted. */
export const Further = ({ amount: { value, unit }, title }: { amount: Amount; title: string }) => (
  <span data-converted={title} title={title} className="whitespace-nowrap">
    <span className={clsx(unitClass, 'sm:max-xl:[:first-child>&]:hidden')}>· </span>
    {value}
    <span className={unitClass}>{`\u00A0${unit}`}</span>
  </span>
)
