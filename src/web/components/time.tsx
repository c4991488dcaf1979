import type { ReactNode } from 'react'
import { fullMomentText, momentText } from '../format/times.ts'

interface TimeProps {
  at: string
  now: Date
  /** Formats the moment; `children` replace it. */
  text?: (at: Date, now: Date) => string
  className?: string
  children?: ReactNode
}

/** A short time with the full one as a tooltip. */
export const Time = ({ at, now, text = momentText, className, children }: TimeProps) => (
  <time dateTime={at} title={fullMomentText(new Date(at))} className={className}>
    {children ?? text(new Date(at), now)}
  </time>
)
