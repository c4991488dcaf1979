import { useLocation } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { useEffect, useRef, useState, type ReactNode } from 'react'
import { defaultText, type ControlId } from '../app/controls.ts'
import { Button, ControlLabel } from './form-controls.tsx'
import { t } from '../locales/translate.ts'
import { Dot, type Tone } from './figures.tsx'
import { Saves, type Stale } from './card.tsx'
import { useIsShown } from './settled.tsx'

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

const line =
  'flex flex-wrap items-center gap-x-6 gap-y-2 border-b border-line py-3 first-of-type:pt-0 last:border-b-0 last:pb-0'

const Sides = ({ title, note, children }: SidesProps) => (
  <>
    <div className="min-w-[min(240px,100%)] flex-1">
      <p>{title}</p>
      {note !== undefined && <div className="text-small text-dim">{note}</div>}
    </div>
    <div className="flex flex-wrap items-center gap-2">
      <ControlLabel value={title}>{children}</ControlLabel>
    </div>
  </>
)

interface SettingProps {
  id: ControlId
  /** The current value in words: without it, or when it differs, the default is shown. */
  value?: string
  /** The default, where it depends on the installation; null: of the entries below, each its own. */
  standard?: string | null | undefined
  /** The current state, as far as the control does not show it. */
  state?: ReactNode
  /** The control; without it the settings of the rows below. */
  children?: ReactNode
}

/** Scrolls to the setting that the address names, and focuses its control. */
function useWanted(id: ControlId) {
  const place = useRef<HTMLDivElement>(null)
  // The key differs for each visit, so a setting that is wanted again is shown again.
  const visit = useLocation({ select: ({ hash, state }) => (hash === id ? state.__TSR_key : null) })
  const isShown = useIsShown()
  useEffect(() => {
    if (
      visit === null ||
      !isShown ||
      place.current !== document.querySelector(`[data-setting="${id}"]`)
    )
      return
    place.current?.scrollIntoView({ block: 'center' })
    const control = place.current?.querySelector<HTMLElement>('button, select, input')
    control?.focus({ preventScroll: true })
  }, [visit, id, isShown])
  return { place, isWanted: visit !== null }
}

/** Whether the address names one of these settings, which are shown on demand. */
export const useIsWanted = (ids: readonly ControlId[]): boolean =>
  useLocation({ select: ({ hash }) => ids.some((id) => id === hash) })

/**
 * A setting with its effect, its control, and its default where another value is chosen; `controls`
 * lists all of them.
 */
export function Setting({ id, value, standard = defaultText(id), state, children }: SettingProps) {
  const { place, isWanted } = useWanted(id)
  const note = (
    <>
      {t(`${id}.effect`)}{' '}
      {standard !== null && value !== standard && (
        <span className="inline-block">{t('controls.default', { value: standard })}</span>
      )}
      {state !== undefined && <div className="mt-0.5">{state}</div>}
    </>
  )
  return (
    <div
      ref={place}
      data-setting={id}
      className={clsx(line, isWanted && 'rounded-control outline-2 outline-offset-4 outline-edge')}
    >
      <Sides title={t(id)} note={note}>
        {children}
      </Sides>
    </div>
  )
}

/** The current state: an icon and text, which may wrap. */
export function StateLine({ tone, children }: { tone: Tone; children: ReactNode }) {
  return (
    <span className="flex gap-2">
      <span className="mt-[6px] flex">
        <Dot tone={tone} />
      </span>
      <span className="min-w-0">{children}</span>
    </span>
  )
}

interface ConfirmProps {
  label: string
  /** For screen readers, where several have the same label. */
  name?: string
  /** The second click, where the label is short for it. */
  action?: string
  /** One sentence: what will be deleted. */
  consequence: string
  isBusy?: boolean
  disabled?: boolean
  onConfirm: () => void
}

/** For actions that can't be undone: the first click shows the consequence, the second acts. */
export function Confirm(props: ConfirmProps) {
  const { label, name, action = label, consequence, isBusy, disabled, onConfirm } = props
  const [isOpen, setIsOpen] = useState(false)
  if (!isOpen) {
    return (
      <Button
        aria-label={name}
        disabled={disabled === true || isBusy === true}
        onClick={() => setIsOpen(true)}
      >
        {label}
      </Button>
    )
  }
  return (
    <div role="group" aria-label={name ?? label} className="w-full rounded-control bg-raise p-3">
      <p className="mb-2.5 max-w-[60ch] text-[13px]">{consequence}</p>
      <div className="flex flex-wrap gap-2">
        <Button
          autoFocus
          className="border-bad text-bad"
          disabled={isBusy}
          onClick={() => {
            setIsOpen(false)
            onConfirm()
          }}
        >
          {action}
        </Button>
        <Button onClick={() => setIsOpen(false)}>{t('action.cancel')}</Button>
      </div>
    </div>
  )
}
