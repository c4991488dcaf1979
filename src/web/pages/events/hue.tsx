import { clsx } from 'clsx'

/** Colours that an event can have; the numbers are the wire's. */
export const hues = [1, 2, 3, 4, 5, 6, 7, 8] as const

/** The colour of an event as a dot; its name always stands beside it. */
export function HueDot({ index, className }: { index: number; className?: string }) {
  return (
    <span
      aria-hidden="true"
      data-hue={index}
      className={clsx('hue size-[9px] flex-none rounded-full bg-(--hue)', className)}
    />
  )
}
