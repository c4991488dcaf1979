import { useState, type ReactNode } from 'react'
import { Button } from './button.tsx'
import { t } from '../locales/translate.ts'
import { Dot, type Tone } from './figures.tsx'
import { ControlLabel } from './control-label.ts'

interface SettingProps {
  title: string
  /** Explanation, or the current state. */
  note?: ReactNode
  /** The control, or the value with a link to change it. */
  children?: ReactNode
}

/** One line of a settings card: title on the left, control on the right. */
export function Setting({ title, note, children }: SettingProps) {
  return (
    <div className="flex flex-wrap items-center gap-x-6 gap-y-2 border-b border-line py-3 first-of-type:pt-0 last:border-b-0 last:pb-0">
      <div className="min-w-[min(240px,100%)] flex-1">
        <p>{title}</p>
        {note !== undefined && <div className="text-small text-dim">{note}</div>}
      </div>
      <div className="flex flex-wrap items-center gap-2">
        <ControlLabel value={title}>{children}</ControlLabel>
      </div>
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
  /** One sentence: what will be deleted. */
  consequence: string
  isBusy?: boolean
  disabled?: boolean
  onConfirm: () => void
}

/** For actions that can't be undone: the first click shows the consequence, the second acts. */
export function Confirm({ label, consequence, isBusy, disabled, onConfirm }: ConfirmProps) {
  const [isOpen, setIsOpen] = useState(false)
  if (!isOpen) {
    return (
      <Button disabled={disabled === true || isBusy === true} onClick={() => setIsOpen(true)}>
        {label}
      </Button>
    )
  }
  return (
    <div role="group" aria-label={label} className="w-full rounded-control bg-raise p-3">
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
          {label}
        </Button>
        <Button onClick={() => setIsOpen(false)}>{t('action.cancel')}</Button>
      </div>
    </div>
  )
}
