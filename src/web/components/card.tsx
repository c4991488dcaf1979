import { clsx } from 'clsx'
import { useId, type ReactNode } from 'react'
import { Saves, type Stale } from './saves.tsx'

interface CardProps {
  title: string
  /** Target of links within the page. */
  id?: string
  /** A short dim note beside the title. */
  note?: string
  /** Right side of the header: a legend, a link, a switch. */
  action?: ReactNode
  className?: string
  /** What a change of its settings makes stale. */
  stale?: Stale
  children: ReactNode
}

/** A card that answers one question. */
export function Card({ title, id, note, action, className, stale, children }: CardProps) {
  const headingId = useId()
  return (
    <section
      id={id}
      aria-labelledby={headingId}
      className={clsx('card flex min-w-0 flex-col p-[18px]', className)}
    >
      <Saves stale={stale}>
        <header className="mb-3 flex min-h-6 flex-wrap items-center gap-x-2.5 gap-y-1">
          <h2 id={headingId} className="text-card font-semibold">
            {title}
          </h2>
          {note !== undefined && <p className="text-small text-dim">{note}</p>}
          {action !== undefined && <div className="ml-auto text-small text-dim">{action}</div>}
        </header>
        {children}
      </Saves>
    </section>
  )
}
