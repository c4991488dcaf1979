import { clsx } from 'clsx'
import type { ReactNode } from 'react'
import { isHistoryAway, isUnreachable, Refusal } from '../api/refusal.ts'
import { t } from '../locales/translate.ts'
import { Dot, type Tone } from './figures.tsx'

interface NoticeProps {
  tone?: Tone
  title: string
  children?: ReactNode
  className?: string
}

/** A state that takes the place of content: empty, away, failed. */
export function Notice({ tone = 'quiet', title, children, className }: NoticeProps) {
  return (
    <div
      role={tone === 'bad' ? 'alert' : 'status'}
      className={clsx(
        'flex flex-col items-center justify-center gap-1 py-8 text-center',
        className,
      )}
    >
      <p className="flex items-center gap-2 font-medium">
        <Dot tone={tone} />
        {title}
      </p>
      {children !== undefined && <div className="max-w-[46ch] text-small text-dim">{children}</div>}
    </div>
  )
}

/** The history cannot be asked: this part comes back by itself. */
export function Away({ className }: { className?: string }) {
  return (
    <Notice
      tone="attention"
      title={t('trouble.historyAway')}
      {...(className === undefined ? {} : { className })}
    >
      {t('trouble.historyAwayText')}
    </Notice>
  )
}

/** Says what an error means for the reader and what happens next. */
export function Trouble({ error, className }: { error: Error; className?: string }) {
  const own = className === undefined ? {} : { className }
  if (isHistoryAway(error)) {
    return <Away {...own} />
  }
  if (isUnreachable(error)) {
    return (
      <Notice tone="bad" title={t('trouble.unreachable')} {...own}>
        {t('trouble.unreachableText')}
      </Notice>
    )
  }
  if (error instanceof Refusal && error.status === 403) {
    return (
      <Notice tone="attention" title={t('trouble.forbidden')} {...own}>
        {t('trouble.forbiddenText')}
      </Notice>
    )
  }
  return (
    <Notice tone="bad" title={t('trouble.failed')} {...own}>
      {error.message}
    </Notice>
  )
}

/** Grey lines in the shape of what is loading. */
export function Waiting({ rows = 3, className }: { rows?: number; className?: string }) {
  const lines = Array.from({ length: rows }, (_, line) => line)
  return (
    <div role="status" aria-label={t('state.loading')} className={clsx('space-y-3', className)}>
      {lines.map((line) => (
        <div key={line} className="skeleton h-9" />
      ))}
    </div>
  )
}
