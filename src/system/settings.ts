import { MqttView } from './mqtt/model.ts'
import { UpdateResult } from './updates/model.ts'
import { HistoryEntry, NotificationRulesBody, QuietHours } from './notifications/model.ts'
import { Type } from '@sinclair/typebox'
import type { OperationType } from '../core/operations/contract.ts'
import { flag, rule, text } from '../core/settings/rules.ts'
import { Nullable, stringUnion } from '../core/lib/schema.ts'

/** A reset of the database that has begun. */
const PendingReset = Type.Object({ tables: Type.Array(Type.String()), isWhole: Type.Boolean() })

/** An import from another instance that did not get to its end, and where it continues. */
const UnfinishedImport = Type.Object({
  /** Hash of the source. */
  key: Type.String(),
  /** Start of the last download that was dealt with, as the source writes it, and how many with it. */
  mark: Type.String(),
  atMark: Type.Integer(),
  totalRecords: Type.Integer(),
  imported: Type.Integer(),
  /** Downloads that were not imported, by reason. */
  reasons: Type.Record(Type.String(), Type.Integer()),
})

/** What is notified; see `src/system/notifications`. Job types as text, so that old ones stay valid. */
const JobTypes = Type.Array(Type.Unsafe<OperationType>(Type.String()))
const StoredRules = Type.Object({
  ...NotificationRulesBody.properties,
  failedJobs: Nullable(JobTypes),
  finishedJobs: JobTypes,
})

/** Its password is sealed. */
const MqttBroker = Type.Pick(MqttView, ['isEnabled', 'url', 'user', 'prefix'])

/** Settings of this group, with their form and their default. */
export const systemSettings = {
  'setup.currentStep': rule(text, null),
  'setup.dataSourceChoice': rule(text, null),
  'setup.completedPlatforms': rule(text, null),
  /** Scheduled snapshots that are kept. */
  'backup.keep': rule(Type.Integer({ minimum: 1, maximum: 365 }), 7),
  /** Tables of a reset that has begun: a restart continues it. */
  'database.pendingReset': rule(Nullable(PendingReset), null),
  'migration.unfinished': rule(Nullable(UnfinishedImport), null),
  /** Games that `/metrics` lists. */
  'metrics.gameLimit': rule(Type.Integer({ minimum: 1, maximum: 500 }), 50),
  /** Whether `/metrics` needs the installation key; null: as configured. */
  'metrics.requiresKey': rule(Nullable(Type.Boolean()), null),
  /** Where releases are published, whether it may be asked, and what it answered. */
  'updates.address': rule(text, null),
  'updates.isAllowed': flag(false),
  'updates.last': rule(Nullable(UpdateResult), null),
  'mqtt.broker': rule(Nullable(MqttBroker), null),
  'memory.collects': flag(false),
  /** Scheduled collections leave a smaller process alone. */
  'memory.thresholdMib': rule(Type.Integer({ minimum: 512, maximum: 32_768 }), 4096),
  'statusCheck.resolverMode': rule(stringUnion(['auto', 'bridge', 'host']), 'auto'),
  /** Its form is that of the answer; see src/system/status-check. */
  'statusCheck.lastResult': rule(Nullable(Type.Object({})), null),
  'notifications.rules': rule(StoredRules, {
    failedJobs: null,
    finishedJobs: [],
    diskDays: 14,
    corruption: true,
    signIns: true,
    service: true,
    dns: true,
    readiness: true,
  }),
  'notifications.language': rule(stringUnion(['en', 'de']), 'en'),
  'notifications.quietHours': rule(Nullable(QuietHours), null),
  /** Conditions that were notified and still hold, with the state that was notified. */
  'notifications.conditions': rule(Type.Record(Type.String(), Type.String()), {}),
  'notifications.history': rule(Type.Array(HistoryEntry), []),
}
