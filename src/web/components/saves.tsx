import { createContext, use, type ReactNode } from 'react'
import { useSave, type Saving } from '../app/use-save.ts'

/** Roots of the queries that a change makes stale. */
export type Stale = readonly (readonly string[])[]

const Shared = createContext<Saving | null>(null)

interface SavesProps {
  stale: Stale | undefined
  children: ReactNode
}

/** Settings and actions inside are stored together: one at a time. Without `stale` as around it. */
export const Saves = ({ stale, children }: SavesProps) =>
  stale === undefined ? children : <Owner stale={stale}>{children}</Owner>

const Owner = ({ stale, children }: { stale: Stale; children: ReactNode }) => (
  <Shared value={useSave({ stale })}>{children}</Shared>
)

/** How a control saves: as its page says, or as all controls around it. */
export function useSaving(own?: Saving): Saving {
  const shared = use(Shared)
  const saving = own ?? shared
  if (saving === null) throw new Error('this control stands in nothing that saves')
  return saving
}
