import { Suspense } from 'react'
import { createValue } from '../app/value.ts'
import type { Toast } from './toast-line.tsx'
import { lazyPart } from '../app/lazy-part.ts'

/** Older ones are dropped. */
const toastsMax = 3

// The first screen shows none.
const Line = lazyPart(async () => (await import('./toast-line.tsx')).Line)

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
export const notify = (text: string, undo: (() => void) | null = null): void =>
  add({ text, isBad: false, undo })

/** Reports a failed action. */
export const notifyError = (text: string): void => add({ text, isBad: true, undo: null })

/** The toasts' place: above the tab bar, not covering the content. */
export function Toasts() {
  const shown = toasts.use()
  return (
    <div
      role="status"
      aria-live="polite"
      className="pointer-events-none fixed inset-x-3 bottom-[72px] z-[60] flex flex-col items-center gap-2 md:bottom-5"
    >
      <Suspense fallback={null}>
        {shown.map((toast) => (
          <Line key={toast.id} toast={toast} onDrop={drop} />
        ))}
      </Suspense>
    </div>
  )
}
