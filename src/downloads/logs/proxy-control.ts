/** What would make telling the proxy possible; values as on the wire. */
export type ReopenHint = 'none' | 'grantSignalPrivilege' | 'enablePidHost' | 'mountDockerSocket'

/** Whether the proxy can be told to reopen its logs, and how. */
export interface ReopenAvailability {
  /** `NginxLogRotation__Enabled`; nothing is ever signalled while it is false. */
  isEnabled: boolean
  canReopen: boolean
  /** `container`: through the container engine; `process`: a signal to a process we can see. */
  way: 'container' | 'process' | null
  /** Name of the container or process id of nginx. */
  target: string | null
  hint: ReopenHint
  /** What to type on the proxy's machine instead; null when it is not needed. */
  command: string | null
}

export interface ReopenOutcome extends ReopenAvailability {
  isDone: boolean
  /** One sentence for people. */
  message: string
}

/** Talks to the caching proxy. Nothing here throws: whoever asks goes on without it. */
export interface ProxyControl {
  /** At most 30 seconds old. */
  availability(): Promise<ReopenAvailability>
  /** Tells nginx to open its log files anew. */
  reopenLogs(): Promise<ReopenOutcome>
}
