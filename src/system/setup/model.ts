import { Type, type Static } from '@sinclair/typebox'
import { Flag, Int, Model, Nullable, Text } from '../../core/http/schema.ts'

export const SetupState = Model('SetupState', {
  isCompleted: Flag,
  hasProcessedLogs: Flag,
  setupCompleted: Flag,
  needsPostgresCredentials: Flag,
  accountExists: Nullable(Flag),
  currentSetupStep: Nullable(Text),
  dataSourceChoice: Nullable(Text),
  completedPlatforms: Nullable(Text),
  mode: Text,
  postgresHost: Nullable(Text),
  postgresPort: Nullable(Int),
  postgresDatabase: Nullable(Text),
  postgresUser: Nullable(Text),
})
export type SetupState = Static<typeof SetupState>

export const SetupPatch = Type.Object({
  completed: Type.Optional(Nullable(Flag)),
  currentSetupStep: Type.Optional(Nullable(Text)),
  dataSourceChoice: Type.Optional(Nullable(Text)),
  completedPlatforms: Type.Optional(Nullable(Text)),
})

export const SetupPatched = Type.Object({ message: Text, setupCompleted: Flag })
