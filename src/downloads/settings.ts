import { rule } from '../core/settings/rules.ts'
import { LogRetentionSettings } from '../engines/logs/log-retention/wire.ts'

/** Settings of this group, with their form and their default. */
export const downloadsSettings = {
  'logs.retention': rule(LogRetentionSettings, {
    isEnabled: false,
    rotateAboveMib: null,
    rotateAfterDays: null,
    compresses: false,
    keepDays: null,
    keepGib: null,
  }),
}
