/**
 * While a heap is small against the machine's memory, JavaScriptCore lets it grow to two and a half
 * times of what lives in it before it looks at old objects: 81 MB for 31. Told of 96 MB, it collects
 * at half as much above, without more processor time under load. The second option keeps it from
 * collecting all the time because the process as a whole is larger than those 96 MB.
 */
const options = {
  BUN_JSC_forceRAMSize: String(96 * 1024 * 1024),
  BUN_JSC_criticalGCMemoryThreshold: '100',
}

/** Starts this process's program again unless the options are set: they are read at a start only. */
export function keepHeapSmall(environment: NodeJS.ProcessEnv): void {
  const { argv, execArgv, execPath } = process
  if (process.execve === undefined || environment['BUN_JSC_forceRAMSize'] !== undefined) return
  process.execve(execPath, [execPath, ...execArgv, ...argv.slice(1)], {
    ...environment,
    ...options,
  })
}
