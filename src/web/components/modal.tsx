import * as Dialog from '@radix-ui/react-dialog'
import { clsx } from 'clsx'
import { useRef, type ReactNode } from 'react'

interface ModalProps {
  title: string
  isOpen: boolean
  onClose: () => void
  /** `side` comes from the right edge, `top` hangs below the upper edge. */
  place: 'side' | 'top'
  /** The title is read out but not shown. */
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
            // Back to what was clicked: the keyboard goes on from there.
            if (!(opener.current instanceof HTMLElement) || !opener.current.isConnected) return
            event.preventDefault()
            opener.current.focus()
          }}
          onInteractOutside={(event) => {
            // Undo in a message belongs to what is open here.
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
