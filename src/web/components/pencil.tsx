import { clsx } from 'clsx'
import { Pencil as Icon } from 'lucide-react'
import type { ReactNode } from 'react'
import { Popover } from './popover.tsx'

interface PencilProps {
  label: string
  className: string
  children: (close: () => void) => ReactNode
}

/** A small button beside a name, with a form that changes it. */
export const Pencil = ({ className, ...popover }: PencilProps) => (
  <Popover
    {...popover}
    face={<Icon size={13} />}
    buttonClass="-my-1 inline-flex size-6 flex-none items-center justify-center rounded-control align-middle text-dim hover:bg-raise hover:text-text"
    className={clsx('p-2', className)}
    align="start"
  />
)
