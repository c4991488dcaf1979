import { clsx } from 'clsx'
import type { ComponentProps } from 'react'

/** The default button; it submits a form only when its type says so. */
export function Button({ className, ...button }: ComponentProps<'button'>) {
  return <button type="button" {...button} className={clsx('control', className)} />
}
