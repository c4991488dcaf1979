import { clsx } from 'clsx'

/** Event colours; the numbers are those of the API. */
export const hues = [1, 2, 3, 4, 5, 6, 7, 8] as const

/** An event's colour as a dot; its name is always next to it. */
export function HueDot({ index, className }: { index: number; className?: string }) {
  return (
    <span
      aria-hidden="true"
      data-hue={index}
      className={clsx('hue size-[9px] flex-none rounded-full bg-(--hue)', className)}
    />
  )
}
