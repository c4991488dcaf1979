import { createContext, use } from 'react'

export type Overlay = 'palette' | 'operations' | 'shortcuts' | null

export const OverlayContext = createContext<(overlay: Overlay) => void>(() => {})

/** Opens the palette or the operations drawer from anywhere inside the shell. */
export const useOverlay = () => use(OverlayContext)
