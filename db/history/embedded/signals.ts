import { readFileSync } from 'node:fs'

/** Processes started by a server; none when the kernel does not list them. */
function childrenOf(pid: number): number[] {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
    return text === '' ? [] : text.split(' ').map(Number)
  } catch {
    return []
  }
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It has ended.
  }
}

/**
 * Sends a signal to a server and makes sure that it is handled: continues a process that was
 * stopped (SIGSTOP). SIGKILL also goes to its children, which would live on without it.
 */
export function signalServer(pid: number, signal: 'SIGINT' | 'SIGQUIT' | 'SIGKILL'): void {
  const children = childrenOf(pid)
  send(pid, signal)
  for (const child of signal === 'SIGKILL' ? children : []) send(child, signal)
  for (const process of [pid, ...children]) send(process, 'SIGCONT')
}
