import { clsx } from 'clsx'

/** An event's colour as a dot; its name is always next to it. */
export const HueDot = ({ index, className }: { index: number; className?: string }) => (
  <span
    aria-hidden="true"
    data-hue={index}
    className={clsx('hue size-[9px] flex-none rounded-full bg-(--hue)', className)}
  />
)
