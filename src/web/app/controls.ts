import type { LinkProps } from '@tanstack/react-router'
import { t, tn, type CountKey, type Key } from '../locales/translate.ts'

/** A switch, an amount, or a text. */
type Default = boolean | readonly [unit: CountKey, count: number] | Key
type Place = NonNullable<LinkProps['to']>

/**
 * Every setting of the dashboard by its page, with its default. `Setting` shows one, the palette
 * finds it. Name, effect and synonyms are texts: `<id>`, `<id>.effect` and `<id>.words`.
 */
const defaults = {
  '/settings/themes': {
    'prefs.theme': 'theme.system',
  },
  '/settings/preferences': {
    'prefs.language': 'controls.browser',
    'prefs.sharp': false,
    'prefs.outlines': true,
    'prefs.tooltips': true,
    'prefs.clock': 'clock.server-24h',
    'prefs.rate': 'controls.asHost',
    'prefs.hostRate': 'rate.STANDARD',
    'savings.line': 'controls.none',
    'savings.price': 'controls.none',
    'savings.currency': 'controls.euro',
    'line.volume': 'controls.none',
    'line.firstDay': 'controls.first',
    'line.pause': 'controls.never',
  },
  '/settings/guests': {
    'guests.access': true,
    'guests.duration': ['guests.hours', 6],
    'guests.theme': 'theme.dark',
    'guests.rate': 'rate.STANDARD',
    'guests.rateLock': true,
    'guests.clock': 'clock.server-24h',
    'guests.formats': 'controls.allClocks',
    'guests.sharp': false,
    'guests.tooltips': true,
    'guests.mayPrefill': false,
  },
  '/settings/platform-accounts': {
    'steam.mode': 'steam.anonymous',
    'prefill.validity': ['prefill.days', 90],
  },
  '/settings/clients': {
    'names.look': false,
    'names.guests': false,
    'queryLog.server': 'controls.none',
  },
  '/settings/logs': {
    'logs.retentionOn': false,
    'logs.rotateSize': 'logs.never',
    'logs.rotateAge': 'logs.never',
    'logs.compress': false,
    'logs.keepDays': 'logs.never',
    'logs.keepSize': 'logs.never',
  },
  '/settings/datasources': {
    'datasource.limit': 'controls.proxyLimit',
    'datasource.deleteMode': 'datasource.deletion.preserve',
  },
  '/settings/integrations': {
    'depots.mode': 'depots.modeList',
  },
  '/settings/schedules': {
    'schedules.interval': 'controls.perService',
    'schedules.calendar': false,
    'schedules.runOnStartup': 'controls.perService',
    'schedules.notify': 'controls.perService',
  },
  '/settings/backup': {
    'backup.keep': ['backup.count', 7],
  },
  '/settings/database': {
    'history.keepMonths': 'logs.never',
  },
  '/settings/status-check': {
    'statusCheck.mode': 'statusCheck.mode.auto',
  },
  '/settings/version': {
    'updates.address': 'controls.none',
    'updates.allowed': false,
    'memory.collects': false,
    'memory.threshold': ['memory.mib', 4096],
  },
  '/settings/notifications': {
    'notify.language': 'controls.english',
    'notify.service': true,
    'notify.dns': true,
    'notify.corruption': true,
    'notify.signIns': true,
    'notify.readiness': true,
    'notify.disk': ['notify.daysBefore', 14],
    'notify.failedJobs': 'notify.jobs.all',
    'notify.finishedJobs': 'notify.jobs.none',
    'notify.quietOn': false,
  },
  '/settings/metrics': {
    'metrics.key': false,
    'metrics.games': ['count.games', 50],
    'metrics.interval': ['metrics.seconds', 15],
  },
  '/settings/widgets': {
    'mqtt.publish': false,
  },
  '/cache/evicted': {
    'evicted.mode': 'evicted.as.show',
    'evicted.notify': false,
    'evicted.prune': false,
  },
  '/cache/retention': {
    'retention.undoHours': ['retention.hours', 24],
    'retention.sparedDays': ['retention.days', 30],
  },
  '/prefill/ready': {
    'ready.due': 'controls.none',
    'ready.hours': 'ready.anyTime',
    'ready.updates': false,
  },
  '/prefill/platforms': {
    'prefill.newSystems': 'controls.allSystems',
    'prefill.newConnections': 'prefill.automatic',
  },
  '/prefill/schedules': {
    'prefill.mode': 'prefill.mode.keepAcrossRestart',
    'prefill.pause': false,
    'prefill.limit': 'prefill.noLimit',
    'prefill.window': 'controls.none',
    'prefill.scheduled': 'controls.perPlatform',
    'prefill.when': ['prefill.everyHours', 24],
    'prefill.choose': 'prefill.run.All',
    'prefill.chosen': 'controls.none',
    'prefill.systems': 'controls.windows',
    'prefill.connections': 'prefill.automatic',
    'prefill.force': false,
  },
} as const satisfies Partial<Record<Place, Record<string, Default>>>

type Defaults = typeof defaults
export type ControlId = { [To in keyof Defaults]: keyof Defaults[To] }[keyof Defaults]

interface Control {
  /** The page with the control. */
  to: keyof Defaults
  default: Default
}

const entries = Object.entries<Record<string, Default>>(defaults).flatMap(([to, settings]) =>
  Object.entries(settings).map(([id, standard]) => [id, { to, default: standard }]),
)
// The keys of the literal above.
export const controls = Object.fromEntries(entries) as Record<ControlId, Control>
export const controlIds = Object.keys(controls) as ControlId[]

/** The default in words. */
export function defaultText(id: ControlId): string {
  const { default: standard } = controls[id]
  if (typeof standard === 'boolean') return t(standard ? 'controls.on' : 'controls.off')
  return typeof standard === 'string' ? t(standard) : tn(...standard)
}
