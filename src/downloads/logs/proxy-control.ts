/** What is missing for signalling the proxy; values as on the wire. */
export type ReopenHint = 'none' | 'grantSignalPrivilege' | 'enablePidHost' | 'mountDockerSocket'

/** Whether and how the proxy can be made to reopen its logs. */
export interface ReopenAvailability {
  /** `NginxLogRotation__Enabled`; while false nothing is ever signalled. */
  isEnabled: boolean
  canReopen: boolean
  /** `container`: through the container engine; `process`: a signal to a visible process. */
  way: 'container' | 'process' | null
  /** Container name, or nginx's process id. */
  target: string | null
  hint: ReopenHint
  /** Manual command for the proxy's machine; null when not needed. */
  command: string | null
}

export interface ReopenOutcome extends ReopenAvailability {
  isDone: boolean
  /** One sentence, for display. */
  message: string
  /** Why the signal failed, where that is known. */
  detail: string | null
}

/** Controls the caching proxy. Never throws: callers work without it. */
export interface ProxyControl {
  /** At most 30 seconds old. */
  availability(): Promise<ReopenAvailability>
  /** Makes nginx reopen its log files. */
  reopenLogs(): Promise<ReopenOutcome>
}
