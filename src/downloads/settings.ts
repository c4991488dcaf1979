import { Type } from '@sinclair/typebox'
import { Nullable } from '../core/lib/schema.ts'
import { rule } from '../core/settings/rules.ts'
import { LogRetentionSettings } from '../engines/logs/log-retention/wire.ts'
import { KeepMonths } from './history-retention/model.ts'

/** Settings of this group, with their form and their default. */
export const downloadsSettings = {
  /** Null: as configured. */
  'history.keepMonths': rule(Nullable(KeepMonths), null),
  /** Unix seconds, start of a month: older single downloads may be deleted. */
  'history.keptSince': rule(Nullable(Type.Integer()), null),
  'logs.retention': rule(LogRetentionSettings, {
    isEnabled: false,
    rotateAboveMib: null,
    rotateAfterDays: null,
    compresses: false,
    keepDays: null,
    keepGib: null,
  }),
}
