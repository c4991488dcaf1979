import { clsx } from 'clsx'
import type { Amount } from '../format/numbers.ts'
import { byteText, percentText, share } from '../format/numbers.ts'
import { t } from '../locales/translate.ts'

/** A figure with its unit small and dim beside it. */
export function Figure({ amount, className }: { amount: Amount; className?: string }) {
  return (
    <span className={clsx('figure whitespace-nowrap', className)}>
      {amount.value}
      <span className="text-[0.86em] font-normal text-dim">{`\u00A0${amount.unit}`}</span>
    </span>
  )
}

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
export function Dot({ tone, pulsing = false }: { tone: Tone; pulsing?: boolean }) {
  return (
    <span
      aria-hidden="true"
      className={clsx('inline-block flex-none', shapes[tone], pulsing && 'pulse')}
    />
  )
}
