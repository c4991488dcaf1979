import { clsx } from 'clsx'
import type { ReactNode } from 'react'
import { Dot, type Tone } from './figures.tsx'

interface StatusLineProps {
  tone: Tone
  pulsing?: boolean
  className?: string
  children: ReactNode
}

/** News that screen readers announce: a mark and a text, which may wrap. */
export const StatusLine = ({ tone, pulsing = false, className, children }: StatusLineProps) => (
  <p role="status" className={clsx('flex gap-2.5 text-[13px]', className)}>
    <span className="mt-1.5 flex">
      <Dot tone={tone} pulsing={pulsing} />
    </span>
    {children}
  </p>
)
