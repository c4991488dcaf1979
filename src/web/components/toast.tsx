import { X } from 'lucide-react'
import { useEffect, useState } from 'react'
import { createValue } from '../app/value.ts'
import { t } from '../locales/translate.ts'

interface Toast {
  id: number
  text: string
  isBad: boolean
  undo: (() => void) | null
}

/** Older ones are dropped. */
const toastsMax = 3
const shownMs = 8000

const toasts = createValue<readonly Toast[]>([])
let lastId = 0

const drop = (id: number) => toasts.set(toasts.get().filter((toast) => toast.id !== id))

function add(toast: Omit<Toast, 'id'>): void {
  lastId += 1
  // A repeated text replaces its previous toast.
  const others = toasts.get().filter(({ text }) => text !== toast.text)
  toasts.set([...others, { ...toast, id: lastId }].slice(-toastsMax))
}

/** Confirms an action; `undo` reverts it. */
export const say = (text: string, undo: (() => void) | null = null): void =>
  add({ text, isBad: false, undo })

/** Reports a failed action. */
export const complain = (text: string): void => add({ text, isBad: true, undo: null })

/** The toasts' place: above the tab bar, not covering the content. */
export function Toasts() {
  const shown = toasts.use()
  return (
    <div
      role="status"
      aria-live="polite"
      className="pointer-events-none fixed inset-x-3 bottom-[72px] z-[60] flex flex-col items-center gap-2 md:bottom-5"
    >
      {shown.map((toast) => (
        <Line key={toast.id} toast={toast} />
      ))}
    </div>
  )
}

function Line({ toast }: { toast: Toast }) {
  const { id, text, isBad, undo } = toast
  // A toast stays while it is hovered or focused.
  const [isHeld, setIsHeld] = useState(false)
  useEffect(() => {
    if (isHeld) return undefined
    const timer = setTimeout(() => drop(id), shownMs)
    return () => clearTimeout(timer)
  }, [id, isHeld])
  const [hold, release] = [() => setIsHeld(true), () => setIsHeld(false)]
  return (
    <div
      data-toast
      onPointerEnter={hold}
      onPointerLeave={release}
      onFocus={hold}
      onBlur={release}
      className="pointer-events-auto flex max-w-[520px] animate-[rise_140ms_ease-out] items-center gap-3 rounded-control border border-line bg-raise py-2 pr-2 pl-4 shadow-lg"
    >
      <p className={isBad ? 'text-bad' : ''}>{text}</p>
      {undo !== null && (
        <button
          type="button"
          className="link px-1 font-medium"
          onClick={() => {
            drop(id)
            undo()
          }}
        >
          {t('action.undo')}
        </button>
      )}
      <button
        type="button"
        aria-label={t('action.close')}
        className="rounded-control p-1.5 text-dim hover:text-text"
        onClick={() => drop(id)}
      >
        <X size={14} />
      </button>
    </div>
  )
}
