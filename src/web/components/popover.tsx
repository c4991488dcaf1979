import { clsx } from 'clsx'
import { useId, useRef, type ReactNode } from 'react'

interface PopoverProps {
  label: string
  /** Content of the button. */
  face: ReactNode
  children: (close: () => void) => ReactNode
  className?: string
  /** For content that is loaded on demand. */
  onOpen?: () => void
  buttonClass?: string
  align?: 'start' | 'end'
}

const gap = 6

/** Positions the panel below its button, inside the window. */
function place(panel: HTMLElement, button: HTMLElement, align: 'start' | 'end'): void {
  const box = button.getBoundingClientRect()
  const width = panel.offsetWidth
  const wanted = align === 'end' ? box.right - width : box.left
  const left = Math.max(8, Math.min(wanted, innerWidth - width - 8))
  const below = box.bottom + gap
  const fitsBelow = below + panel.offsetHeight <= innerHeight - 8
  const top = fitsBelow ? below : Math.max(8, box.top - gap - panel.offsetHeight)
  panel.style.left = `${left}px`
  panel.style.top = `${top}px`
}

/** A button with a panel: the browser closes it on Escape and outside clicks, and returns focus. */
export function Popover(props: PopoverProps) {
  const { label, face, children, className, buttonClass = 'control', align = 'end' } = props
  const { onOpen } = props
  const id = useId()
  const panel = useRef<HTMLDivElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  const watcher = useRef<ResizeObserver | null>(null)
  const close = () => document.getElementById(id)?.hidePopover()
  return (
    <>
      <button
        ref={button}
        type="button"
        popoverTarget={id}
        aria-haspopup="dialog"
        // Contains the hidden label: otherwise a scrolling row would not clip it.
        className={clsx(buttonClass, 'relative')}
      >
        {/* Before the visible text, which the accessible name must contain. */}
        <span className="sr-only">{label}: </span>
        {face}
      </button>
      <div
        ref={panel}
        id={id}
        popover="auto"
        role="dialog"
        aria-label={label}
        className={clsx('panel', className)}
        onToggle={({ newState }) => {
          watcher.current?.disconnect()
          const [shown, from] = [panel.current, button.current]
          if (newState !== 'open' || shown === null || from === null) return
          onOpen?.()
          // Its size changes when content loads.
          watcher.current = new ResizeObserver(() => place(shown, from, align))
          watcher.current.observe(shown)
          shown.querySelector<HTMLElement>('[data-focus]')?.focus()
        }}
      >
        {children(close)}
      </div>
    </>
  )
}
