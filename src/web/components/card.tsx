import { clsx } from 'clsx'
import { useId, type ReactNode, createContext, use } from 'react'
import { useFirstRead, useServiceStatus } from '../api/queries.ts'
import { isHistoryAway, isUnreachable, Refusal } from '../api/refusal.ts'
import { percentText } from '../format/numbers.ts'
import { clockText } from '../format/times.ts'
import { t } from '../locales/translate.ts'
import { Dot, type Tone } from './figures.tsx'
import { refusalText } from '../api/refusal-text.ts'
import { useSave, type Saving } from '../app/use-save.ts'
import { ControlLabel } from './form-controls.tsx'

interface CardProps {
  title: string
  /** Target of links within the page. */
  id?: string
  /** A short dim note beside the title. */
  note?: string
  /** Right side of the header: a legend, a link, a switch. */
  action?: ReactNode
  className?: string | undefined
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

interface NoticeProps {
  tone?: Tone
  title: string
  children?: ReactNode
  /** The next step, as a button or a link that looks like one. */
  action?: ReactNode
  className?: string | undefined
}

/** A state that replaces content: empty, away, failed. */
export const Notice = ({ tone = 'quiet', title, children, action, className }: NoticeProps) => (
  <div
    role={tone === 'bad' ? 'alert' : 'status'}
    className={clsx(
      'flex flex-col items-center justify-center gap-1 px-4 py-8 text-center',
      className,
    )}
  >
    <p className="flex items-center gap-2 font-medium">
      <Dot tone={tone} />
      {title}
    </p>
    {children !== undefined && <div className="max-w-[46ch] text-small text-dim">{children}</div>}
    {Boolean(action) && <div className="mt-3">{action}</div>}
  </div>
)

/** Whether the log is read for the first time, in words; null afterwards. */
export function useFirstReadText(): string | null {
  const percent = useFirstRead()
  return percent === null ? null : t('firstRead.percent', { percent: percentText(percent) })
}

/** Replaces a report without entries; while the log is read for the first time, it says so. */
export function Nothing({ title, children, className }: Omit<NoticeProps, 'action' | 'tone'>) {
  const reading = useFirstReadText()
  return (
    <Notice title={reading ?? title} className={className}>
      {reading === null || children === undefined ? children : t('firstRead.text')}
    </Notice>
  )
}

/** A notice that replaces a page or its main part. */
export const NoticeCard = (notice: Omit<NoticeProps, 'className'>) => (
  <div className="card">
    <Notice {...notice} className="py-16" />
  </div>
)

/** Replaces content for account holders. */
export const Forbidden = () => (
  <NoticeCard title={t('trouble.forbidden')}>{t('trouble.forbiddenText')}</NoticeCard>
)

/** Shown while the history database is unavailable; recovers by itself. */
export function Away({ className }: { className?: string | undefined }) {
  const { state = '', since = '' } = useServiceStatus().data?.history ?? {}
  const isUpdating = state === 'copying' || state === 'migrating'
  return (
    <Notice
      title={t(isUpdating ? 'trouble.historyUpdating' : 'trouble.historyAway')}
      className={className}
    >
      {isUpdating
        ? t('trouble.historyUpdatingText', { time: clockText(new Date(since)) })
        : t('trouble.historyAwayText')}
    </Notice>
  )
}

/** Title and text of a failure, and whether it is more than a missing right. */
function troubleOf(error: Error): [tone: Tone, title: string, text: string] {
  if (isUnreachable(error)) return ['bad', t('trouble.unreachable'), t('trouble.unreachableText')]
  return error instanceof Refusal && error.status === 403
    ? ['quiet', t('trouble.forbidden'), t('trouble.forbiddenText')]
    : ['bad', t('trouble.failed'), error.message]
}

/** Explains an error's consequences and what happens next. */
export function Trouble({ error, className }: { error: Error; className?: string | undefined }) {
  if (isHistoryAway(error)) return <Away className={className} />
  const [tone, title, text] = troubleOf(error)
  return (
    <Notice tone={tone} title={title} className={className}>
      {text}
    </Notice>
  )
}

/** Grey lines in the shape of the loading content. */
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

interface PendingProps {
  error: Error | null
  /** Number of grey lines while loading. */
  rows: number
  /** Inside a card without padding. */
  isList?: boolean
}

/** Replaces a query's data while it is loading or failed. */
export const Pending = ({ error, rows, isList = false }: PendingProps) =>
  error === null ? (
    <Waiting rows={rows} className={clsx(isList && 'p-4')} />
  ) : (
    <Trouble error={error} className={clsx(isList && 'py-16')} />
  )

/** Why a step failed; renders nothing without an error. */
export const Problem = ({ error, className }: { error: Error | null; className?: string }) =>
  error !== null && (
    <p role="alert" className={clsx('text-small text-bad', className)}>
      {refusalText(error)}
    </p>
  )

/** Roots of the queries that a change makes stale. */
export type Stale = readonly (readonly string[])[]

const Shared = createContext<Saving | null>(null)

/**
 * Shares one `useSave` among the controls inside, so that only one of them saves at a time. Without
 * `stale` they share the surrounding one.
 */
export const Saves = ({ stale, children }: { stale: Stale | undefined; children: ReactNode }) =>
  stale === undefined ? children : <Owner stale={stale}>{children}</Owner>

const Owner = ({ stale, children }: { stale: Stale; children: ReactNode }) => (
  <Shared value={useSave({ stale })}>{children}</Shared>
)

/** What a control saves with: its own, else that of the card or row around it. */
export function useSaving(own?: Saving): Saving {
  const shared = use(Shared)
  const saving = own ?? shared
  if (saving === null) throw new Error('a control that saves needs a card or row with `stale`')
  return saving
}

interface SidesProps {
  title: string
  /** Explanation, or the current state. */
  note?: ReactNode
  /** What can be done about it, or the value. */
  children?: ReactNode
}

interface RowProps extends SidesProps {
  /** One of several alike, such as targets: its controls belong to it, not to the installation. */
  isEntry?: boolean
  /** What its own changes make stale, where it saves apart from the card. */
  stale?: Stale
}

/** One line of a card: title on the left, actions on the right. A setting is a `Setting`. */
export const Row = ({ isEntry = false, stale, ...sides }: RowProps) => (
  <div className={line} data-entry={isEntry || undefined}>
    <Saves stale={stale}>
      <Sides {...sides} />
    </Saves>
  </div>
)

/** Classes of a line of a card. */
export const line =
  'flex flex-wrap items-center gap-x-6 gap-y-2 border-b border-line py-3 first-of-type:pt-0 last:border-b-0 last:pb-0'

/** Title, note and actions of a line. */
export const Sides = ({ title, note, children }: SidesProps) => (
  <>
    <div className="min-w-[min(240px,100%)] flex-1">
      <p>{title}</p>
      {note !== undefined && <div className="text-small text-dim">{note}</div>}
    </div>
    <div className="flex min-w-0 flex-wrap items-center gap-2">
      <ControlLabel value={title}>{children}</ControlLabel>
    </div>
  </>
)

/** The current state: an icon and text, which may wrap. */
export const StateLine = ({ tone, children }: { tone: Tone; children: ReactNode }) => (
  <span className="flex gap-2">
    <span className="mt-[6px] flex">
      <Dot tone={tone} />
    </span>
    <span className="min-w-0">{children}</span>
  </span>
)
