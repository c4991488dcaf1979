import * as Dialog from '@radix-ui/react-dialog'
import { useRouter, type RouterHistory } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { useEffect, useEffectEvent, useRef, type ReactNode } from 'react'

export interface ModalProps {
  title: string
  isOpen: boolean
  onClose: () => void
  /** `side` slides in from the right, `top` hangs from the upper edge. */
  place: 'side' | 'top'
  /** The title is for screen readers only. */
  hidesTitle?: boolean
  /** The address says that it is open, so that going back closes it without help. */
  isInAddress?: boolean
  children: ReactNode
}

const places = {
  side: 'inset-y-0 right-0 w-full max-w-[420px] border-l',
  top: 'inset-x-3 top-[10dvh] mx-auto max-w-[600px] rounded-card border',
}

/** Going back or forward closes it and stays on the page. */
function useBackCloses(isOn: boolean, onClose: () => void): void {
  // Pages of share links have none.
  const router: { history: RouterHistory } | null = useRouter({ warn: false })
  const close = useEffectEvent(onClose)
  useEffect(() => {
    if (!isOn) return undefined
    return router?.history.block({
      enableBeforeUnload: false,
      blockerFn({ action }) {
        const isMove = action !== 'PUSH' && action !== 'REPLACE'
        if (isMove) close()
        return isMove
      },
    })
  }, [isOn, router])
}

export function Modal(props: ModalProps) {
  const { title, isOpen, onClose, place, hidesTitle, isInAddress = false, children } = props
  useBackCloses(isOpen && !isInAddress, onClose)
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
