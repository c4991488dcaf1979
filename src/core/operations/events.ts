import { Type } from '@sinclair/typebox'
import { Flag, Model, Nullable, Percent, Text, Utc } from '../lib/schema.ts'
import { accounts, type EventRule } from '../live/events.ts'
import { operation } from './contract.ts'

const { status, context } = operation.properties

const shared = {
  operationId: Text,
  message: Nullable(Text),
  stageKey: Text,
  context,
}
const showNotification = Type.Optional(Flag)

/** What events of long jobs have in common; each kind of job adds members of its own. */
export const jobMembers = {
  Started: { ...shared, timestamp: Nullable(Utc), showNotification },
  Progress: { ...shared, status, percentComplete: Percent },
  Complete: {
    ...shared,
    timestamp: Nullable(Utc),
    success: Flag,
    status,
    cancelled: Flag,
    error: Nullable(Text),
    showNotification,
  },
}

const jobPayloads = {
  Started: Model('JobStarted', jobMembers.Started),
  Progress: Model('JobProgress', jobMembers.Progress),
  Complete: Model('JobComplete', jobMembers.Complete),
}
type JobEnding = keyof typeof jobPayloads
type JobEvents<P extends string> = {
  [E in JobEnding as `${P}${E}`]: EventRule<(typeof jobPayloads)[E]>
}

/** Declares `<prefix>Started`, `<prefix>Progress` and `<prefix>Complete` of long jobs. */
export const jobEvents = <P extends string>(...prefixes: readonly P[]): JobEvents<P> =>
  // The keys are those of the type, one by one.
  Object.fromEntries(
    prefixes.flatMap((prefix) =>
      Object.entries(jobPayloads).map(([ending, payload]) => [prefix + ending, accounts(payload)]),
    ),
  ) as JobEvents<P>

export const operationEvents = {
  OperationUpdated: accounts(operation),
  OperationWaiting: accounts(
    Type.Object({
      operationId: Text,
      operationType: Text,
      name: Text,
      blockedByName: Nullable(Text),
    }),
  ),
  OperationWaitingComplete: accounts(
    Type.Object({
      operationId: Text,
      operationType: Text,
      cancelled: Flag,
      error: Nullable(Text),
      promoted: Flag,
    }),
  ),
}
