/** Run in reverse order after the last test of a file, even after failures. */
export const cleanups: (() => Promise<void>)[] = []

/** Returns the step to be called when it is due; after the file's last test it runs by itself. */
export function atEnd(step: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | null = null
  const once = () => (done ??= step())
  cleanups.push(once)
  return once
}
