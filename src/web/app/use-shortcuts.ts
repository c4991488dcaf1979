import { useEffect } from 'react'
import type { Overlay } from './overlays.ts'

type Change = (next: (open: Overlay) => Overlay) => void

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.matches('input, textarea, select, [contenteditable]')

const openDialog = '[role=dialog]:not([popover]), [popover]:popover-open'

/** The page's own search field, outside dialogs. */
const searchField = () =>
  [...document.querySelectorAll<HTMLInputElement>('main input[type=search]')].find(
    (field) => field.offsetParent !== null,
  )

/** The overlay or field for a key; null for keys that mean nothing here. */
function actionOf(event: KeyboardEvent, change: Change): (() => void) | null {
  const { key, ctrlKey, metaKey, altKey, target } = event
  if (key.toLowerCase() === 'k' && (ctrlKey || metaKey)) {
    return () => change((open) => (open === 'palette' ? null : 'palette'))
  }
  if (ctrlKey || metaKey || altKey || isTyping(target)) return null
  if (key === '?') return () => change((open) => open ?? 'shortcuts')
  if (key !== '/' || document.querySelector(openDialog) !== null) return null
  const field = searchField()
  return field === undefined ? () => change(() => 'palette') : () => field.focus()
}

/** Ctrl+K opens the palette, `/` the search, `?` the list of keys. */
export function useShortcuts(change: Change): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const action = actionOf(event, change)
      if (action === null) return
      event.preventDefault()
      action()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [change])
}
