import type { ReactNode } from 'react'

interface ShelfBarProps {
  label: string
  /** What is chosen and what that takes, in one line. */
  children: ReactNode
  actions: ReactNode
}

/** What is chosen and the one thing to do with it; stays visible while the shelf scrolls. */
export const ShelfBar = ({ label, children, actions }: ShelfBarProps) => (
  <div
    role="region"
    aria-label={label}
    className="sticky bottom-16 z-20 mt-3 flex min-h-[62px] flex-wrap items-center gap-x-4 gap-y-2 rounded-card border border-line bg-panel px-4 py-2.5 shadow-lg md:bottom-4"
  >
    <div className="min-w-0 flex-1 basis-[170px]" aria-live="polite">
      {children}
    </div>
    <div className="flex flex-wrap gap-2">{actions}</div>
  </div>
)
