import { X } from 'lucide-react'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { t } from '../locales/translate.ts'

interface Toast {
  id: number
  text: string
  isBad: boolean
  undo: (() => void) | null
}

/** Older ones make room. */
const toastsMax = 3
const shownMs = 8000

let toasts: readonly Toast[] = []
let lastId = 0
const listeners = new Set<() => void>()

function change(next: readonly Toast[]): void {
  toasts = next
  for (const listener of listeners) listener()
}

const drop = (id: number) => change(toasts.filter((toast) => toast.id !== id))

/** Says what was done; `undo` takes it back. */
export function say(text: string, undo: (() => void) | null = null): void {
  lastId += 1
  // The same again takes the place of the one before.
  const others = toasts.filter((toast) => toast.text !== text)
  change([...others, { id: lastId, text, isBad: false, undo }].slice(-toastsMax))
}

/** Says what did not work. */
export function complain(text: string): void {
  lastId += 1
  const others = toasts.filter((toast) => toast.text !== text)
  change([...others, { id: lastId, text, isBad: true, undo: null }].slice(-toastsMax))
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}

/** Where they appear: above the tab bar, out of the way of the content. */
export function Toasts() {
  const shown = useSyncExternalStore(subscribe, () => toasts)
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
  // Whoever is about to press its button is not hurried.
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
        <X size={14} aria-hidden="true" />
      </button>
    </div>
  )
}
