import type { LinkProps } from '@tanstack/react-router'
import type { SettingKey } from '../../core/settings/rules.ts'
import { t, tn, type CountKey, type Key } from '../locales/translate.ts'

/** A switch, an amount, or a text. */
type Default = boolean | readonly [unit: CountKey, count: number] | Key

interface Control {
  /** The page with the control. */
  to: NonNullable<LinkProps['to']>
  default: Default
  /** The setting of the service, and a member of it, whose default this is. */
  stored?: SettingKey | `${SettingKey}:${string}`
}

/**
 * Every setting of the dashboard: where it is, and its default. `Setting` shows one, the palette
 * finds it. Name, effect and synonyms are texts: `<id>`, `<id>.effect` and `<id>.words`.
 */
export const controls = {
  'prefs.theme': { to: '/settings/themes', default: 'theme.system' },
  'prefs.language': { to: '/settings/preferences', default: 'controls.browser' },
  'prefs.sharp': { to: '/settings/preferences', default: false },
  'prefs.outlines': { to: '/settings/preferences', default: true },
  'prefs.tooltips': { to: '/settings/preferences', default: true },
  'prefs.clock': { to: '/settings/preferences', default: 'clock.server24' },
  'prefs.rate': { to: '/settings/preferences', default: 'controls.asHost' },
  'prefs.hostRate': { to: '/settings/preferences', default: 'rate.standard' },
  'guests.access': { to: '/settings/guests', default: true },
  'guests.duration': { to: '/settings/guests', default: ['guests.hours', 6] },
  'guests.theme': { to: '/settings/guests', default: 'theme.dark' },
  'guests.rate': { to: '/settings/guests', default: 'rate.standard' },
  'guests.rateLock': {
    to: '/settings/guests',
    default: true,
    stored: 'guest.isRefreshRateLocked',
  },
  'guests.clock': { to: '/settings/guests', default: 'clock.server24' },
  'guests.formats': { to: '/settings/guests', default: 'controls.allClocks' },
  'guests.sharp': {
    to: '/settings/guests',
    default: false,
    stored: 'guest.preferences:sharpCorners',
  },
  'guests.tooltips': { to: '/settings/guests', default: true },
  'guests.mayPrefill': {
    to: '/settings/guests',
    default: false,
    stored: 'guest.prefill.alpha:enabledByDefault',
  },
  'steam.mode': { to: '/settings/keys', default: 'steam.anonymous' },
  'names.look': { to: '/settings/clients', default: false, stored: 'clients.hasHostnames' },
  'names.guests': {
    to: '/settings/clients',
    default: false,
    stored: 'clients.showsHostnamesToGuests',
  },
  'logs.retentionOn': { to: '/settings/logs', default: false, stored: 'logs.retention:isEnabled' },
  'logs.rotateSize': { to: '/settings/logs', default: 'logs.never' },
  'logs.rotateAge': { to: '/settings/logs', default: 'logs.never' },
  'logs.compress': { to: '/settings/logs', default: false, stored: 'logs.retention:compresses' },
  'logs.keepDays': { to: '/settings/logs', default: 'logs.never' },
  'logs.keepSize': { to: '/settings/logs', default: 'logs.never' },
  'datasource.limit': { to: '/settings/datasources', default: 'controls.proxyLimit' },
  'datasource.deleteMode': { to: '/settings/datasources', default: 'datasource.preserve' },
  'depots.mode': { to: '/settings/integrations', default: 'depots.modeList' },
  'schedules.interval': { to: '/settings/schedules', default: 'controls.perService' },
  'schedules.calendar': { to: '/settings/schedules', default: false },
  'schedules.runOnStartup': { to: '/settings/schedules', default: 'controls.perService' },
  'schedules.notify': { to: '/settings/schedules', default: 'controls.perService' },
  'backup.keep': {
    to: '/settings/backup',
    default: ['backup.count', 7],
    stored: 'backup.keep',
  },
  'statusCheck.mode': { to: '/settings/status-check', default: 'statusCheck.mode.auto' },
  'notify.language': { to: '/settings/notifications', default: 'controls.english' },
  'notify.service': {
    to: '/settings/notifications',
    default: true,
    stored: 'notifications.rules:service',
  },
  'notify.dns': { to: '/settings/notifications', default: true, stored: 'notifications.rules:dns' },
  'notify.corruption': {
    to: '/settings/notifications',
    default: true,
    stored: 'notifications.rules:corruption',
  },
  'notify.signIns': {
    to: '/settings/notifications',
    default: true,
    stored: 'notifications.rules:signIns',
  },
  'notify.disk': {
    to: '/settings/notifications',
    default: ['notify.daysBefore', 14],
    stored: 'notifications.rules:diskDays',
  },
  'notify.failedJobs': { to: '/settings/notifications', default: 'notify.everyJob' },
  'notify.finishedJobs': { to: '/settings/notifications', default: 'notify.noJob' },
  'notify.quietOn': { to: '/settings/notifications', default: false },
  'metrics.key': { to: '/settings/metrics', default: false },
  'metrics.games': {
    to: '/settings/metrics',
    default: ['count.games', 50],
    stored: 'metrics.gameLimit',
  },
  'metrics.interval': { to: '/settings/metrics', default: ['metrics.seconds', 15] },
  'mqtt.publish': { to: '/settings/widgets', default: false },
  'evicted.mode': { to: '/cache/evicted', default: 'evicted.show' },
  'evicted.notify': { to: '/cache/evicted', default: false },
  'evicted.prune': { to: '/cache/evicted', default: false, stored: 'eviction.prunesOrphans' },
  'retention.undoHours': {
    to: '/cache/retention',
    default: ['retention.hours', 24],
    stored: 'retention.undoHours',
  },
  'retention.sparedDays': {
    to: '/cache/retention',
    default: ['retention.days', 30],
    stored: 'retention.sparedDays',
  },
  'prefill.validity': {
    to: '/prefill/schedules',
    default: ['prefill.days', 90],
    stored: 'prefill.validityDays',
  },
  'prefill.mode': { to: '/prefill/schedules', default: 'prefill.modeKeep' },
  'prefill.pause': {
    to: '/prefill/schedules',
    default: false,
    stored: 'prefill.bandwidth:isPaused',
  },
  'prefill.limit': { to: '/prefill/schedules', default: 'prefill.noLimit' },
  'prefill.window': { to: '/prefill/schedules', default: 'controls.none' },
  'prefill.scheduled': { to: '/prefill/schedules', default: 'controls.perPlatform' },
  'prefill.when': { to: '/prefill/schedules', default: ['prefill.everyHours', 24] },
  'prefill.choose': { to: '/prefill/schedules', default: 'prefill.runAll' },
  'prefill.chosen': { to: '/prefill/schedules', default: 'controls.none' },
  'prefill.systems': { to: '/prefill/schedules', default: 'controls.windows' },
  'prefill.connections': { to: '/prefill/schedules', default: 'prefill.automatic' },
  'prefill.force': {
    to: '/prefill/schedules',
    default: false,
    stored: 'prefill.schedule:alpha.force',
  },
} as const satisfies Record<string, Control>

export type ControlId = keyof typeof controls

// The keys of an object literal are its members' names.
export const controlIds = Object.keys(controls) as ControlId[]

/** The default in words. */
export function defaultText(id: ControlId): string {
  const { default: standard }: Control = controls[id]
  if (typeof standard === 'boolean') return t(standard ? 'controls.on' : 'controls.off')
  return typeof standard === 'string' ? t(standard) : tn(...standard)
}
