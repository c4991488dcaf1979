import { createContext, use } from 'react'

/** Title of the setting around a control. */
export const ControlLabel = createContext('')

/** Accessible name of a control: its own label, else the title of the setting around it. */
export function useControlLabel(label: string | undefined): string {
  const title = use(ControlLabel)
  return label ?? title
}
