import { clsx } from 'clsx'
import { type Amount, byteText, percentText, share } from '../format/numbers.ts'
import { t } from '../locales/translate.ts'
import type { ReactNode } from 'react'
import { fullMomentText, momentText } from '../format/times.ts'

/** A figure with its unit small and dim beside it. */
export const Figure = ({ amount, className }: { amount: Amount; className?: string }) => (
  <span className={clsx('figure whitespace-nowrap', className)}>
    {amount.value}
    <span className="text-[0.86em] font-normal text-dim">{`\u00A0${amount.unit}`}</span>
  </span>
)

interface CompositionProps {
  cached: number
  fetched: number
  /** Bytes of the full width; the bar then shows amount and composition at once. */
  whole?: number
  className?: string
}

/** Cached and fetched bytes as one bar. */
export function Composition({ cached, fetched, whole, className }: CompositionProps) {
  const total = whole ?? cached + fetched
  const label = t('bytes.composition', {
    cached: byteText(cached),
    fetched: byteText(fetched),
    percent: percentText(share(cached, cached + fetched)),
  })
  return (
    <span
      role="img"
      aria-label={label}
      title={label}
      className={clsx('flex h-1.5 gap-px overflow-hidden rounded-bar', className)}
    >
      <span className="bg-cache" style={{ width: `${share(cached, total)}%` }} />
      <span className="bg-fetched opacity-75" style={{ width: `${share(fetched, total)}%` }} />
    </span>
  )
}

export type Tone = 'good' | 'attention' | 'bad' | 'quiet'

const shapes: Record<Tone, string> = {
  good: 'size-[7px] rounded-full bg-cache',
  attention: 'size-[8px] rotate-45 rounded-[1px] bg-fetched',
  bad: 'size-[8px] rounded-[1px] bg-bad',
  quiet: 'size-[7px] rounded-full border border-edge',
}

/** A state as shape and colour; the text beside it says the same. */
export const Dot = ({ tone, pulsing = false }: { tone: Tone; pulsing?: boolean }) => (
  <span
    aria-hidden="true"
    className={clsx('inline-block flex-none', shapes[tone], pulsing && 'pulse')}
  />
)

/** Names are read in full: two lines fit into a row. A long address has no place to break. */
export const fullName = 'line-clamp-2 wrap-break-word font-medium leading-[17px] whitespace-normal'

/** A name of up to two lines, broken between words, with a dim line below. */
export const Named = ({ name, note }: { name: ReactNode; note?: ReactNode }) => (
  <>
    <span className={fullName}>{name}</span>
    {note !== undefined && note !== null && note !== '' && (
      <span className="figure block truncate text-small text-dim">{note}</span>
    )}
  </>
)

/** Label and value pairs; empty values are omitted. */
export type Fact = readonly [label: string, value: string | null]

export const Facts = ({ facts }: { facts: readonly Fact[] }) => (
  <dl className="mb-5 grid grid-cols-[auto_1fr] gap-x-5 gap-y-1 text-[13px]">
    {facts.map(
      ([label, value]) =>
        value !== null &&
        value !== '' && (
          <div key={label} className="contents">
            <dt className="text-dim">{label}</dt>
            <dd className="figure min-w-0 break-words">{value}</dd>
          </div>
        ),
    )}
  </dl>
)

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
