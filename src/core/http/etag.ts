/** Whether the caller holds the content with this tag already, by its `If-None-Match`. */
export const isHeld = (asked: string | null, tag: string): boolean =>
  asked?.split(',').some((one) => ['*', tag, `W/${tag}`].includes(one.trim())) ?? false
