import { Type, type Static } from '@sinclair/typebox'
import { Flag, Model, Nullable, stringUnion, Text } from '../../core/lib/schema.ts'

/** Whether and how the proxy can be made to reopen its logs. */
export const ReopenAvailability = Type.Object({
  /** `NginxLogRotation__Enabled`; while false nothing is ever signalled. */
  isEnabled: Flag,
  canReopen: Flag,
  /** `container`: through the container engine; `process`: a signal to a visible process. */
  way: Nullable(stringUnion(['container', 'process'])),
  /** Container name, or nginx's process id. */
  target: Nullable(Text),
  /** What is missing for signalling the proxy. */
  hint: stringUnion(['none', 'grantSignalPrivilege', 'enablePidHost', 'mountDockerSocket']),
  /** Manual command for the proxy's machine; null when not needed. */
  command: Nullable(Text),
})
export type ReopenAvailability = Static<typeof ReopenAvailability>
export type ReopenHint = ReopenAvailability['hint']

export const ReopenOutcome = Model('ReopenOutcome', {
  ...ReopenAvailability.properties,
  isDone: Flag,
  /** One sentence, for display. */
  message: Text,
  /** Why the signal failed; null: it did not, or that is not known. */
  detail: Nullable(Text),
})
export type ReopenOutcome = Static<typeof ReopenOutcome>

/** Controls the caching proxy. Never throws: callers work without it. */
export interface ProxyControl {
  /** At most 30 seconds old. */
  availability(): Promise<ReopenAvailability>
  /** Makes nginx reopen its log files. */
  reopenLogs(): Promise<ReopenOutcome>
}
