import * as Dialog from '@radix-ui/react-dialog'
import { clsx } from 'clsx'
import { useRef, type ReactNode } from 'react'

interface ModalProps {
  title: string
  isOpen: boolean
  onClose: () => void
  /** `side` slides in from the right, `top` hangs from the upper edge. */
  place: 'side' | 'top'
  /** The title is for screen readers only. */
  hidesTitle?: boolean
  children: ReactNode
}

const places = {
  side: 'inset-y-0 right-0 w-full max-w-[420px] border-l',
  top: 'inset-x-3 top-[10dvh] mx-auto max-w-[600px] rounded-card border',
}

export function Modal({ title, isOpen, onClose, place, hidesTitle, children }: ModalProps) {
  const opener = useRef<Element | null>(null)
  return (
    <Dialog.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 bg-veil" />
        <Dialog.Content
          aria-describedby={undefined}
          onOpenAutoFocus={() => {
            opener.current = document.activeElement
          }}
          onCloseAutoFocus={(event) => {
            // Return focus to the opener, so that keyboard navigation continues there.
            if (!(opener.current instanceof HTMLElement) || !opener.current.isConnected) return
            event.preventDefault()
            opener.current.focus()
          }}
          onInteractOutside={(event) => {
            // An undo in a toast belongs to the open dialog.
            const isMessage =
              event.target instanceof Element && event.target.closest('[data-toast]')
            if (isMessage) event.preventDefault()
          }}
          className={clsx(
            'fixed z-50 flex flex-col overflow-hidden border-line bg-panel outline-none',
            'animate-[rise_140ms_ease-out]',
            places[place],
          )}
        >
          <Dialog.Title
            className={hidesTitle === true ? 'sr-only' : 'px-5 pt-5 text-title font-semibold'}
          >
            {title}
          </Dialog.Title>
          {children}
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
