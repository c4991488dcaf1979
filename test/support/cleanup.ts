/** Run once when the last test of this process is done, also after failures. */
export const cleanups: (() => Promise<void>)[] = []
