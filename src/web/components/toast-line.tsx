import { X } from 'lucide-react'
import { useEffect, useState } from 'react'
import { t } from '../locales/translate.ts'

const shownMs = 8000

export interface Toast {
  id: number
  text: string
  isBad: boolean
  undo: (() => void) | null
}

/** One toast; leaves after some seconds unless it is hovered or focused. */
export function Line({ toast, onDrop }: { toast: Toast; onDrop: (id: number) => void }) {
  const { id, text, isBad, undo } = toast
  const [isHeld, setIsHeld] = useState(false)
  useEffect(() => {
    if (isHeld) return undefined
    const timer = setTimeout(() => onDrop(id), shownMs)
    return () => clearTimeout(timer)
  }, [id, isHeld, onDrop])
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
            onDrop(id)
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
        onClick={() => onDrop(id)}
      >
        <X size={14} />
      </button>
    </div>
  )
}
