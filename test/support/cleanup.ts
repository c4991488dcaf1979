/** Run once after the last test of this process, even after failures. */
export const cleanups: (() => Promise<void>)[] = []
