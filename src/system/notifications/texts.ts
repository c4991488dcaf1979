import { filled, type PhraseNeeds, type PhraseValues } from '../../core/lib/phrases.ts'
import type { Named, OperationType, OperationView } from '../../core/operations/contract.ts'
import type { SettingValue } from '../../core/settings/rules.ts'
import type { Trouble } from '../status/troubles.ts'
import { germanFailure, type FailedJob } from './german-failures.ts'
import { germanJobNames } from './german-job-names.ts'

/** Everything that notifications say, in English and in German. */
export const noticeTexts = {
  cacheSilent: ['The cache does not answer', 'Der Cache antwortet nicht'],
  corruptedFiles: ['Corrupted files found: {count}', 'Beschädigte Dateien gefunden: {count}'],
  'database.copying': [
    'The database is being copied before an update.',
    'Die Datenbank wird vor einem Update kopiert.',
  ],
  'database.initialising': ['The database is initialising.', 'Die Datenbank wird angelegt.'],
  'database.migrating': [
    'The database is migrating.',
    'Die Datenbank wird auf den neuesten Stand gebracht.',
  ],
  'database.starting': ['The database is starting.', 'Die Datenbank startet.'],
  'database.stopped': ['The database is stopped.', 'Die Datenbank ist gestoppt.'],
  'database.unavailable': ['The database is unavailable.', 'Die Datenbank ist nicht verfügbar.'],
  dataCapReached: [
    '{percent} % of the monthly volume are used',
    '{percent} % des Monatsvolumens sind verbraucht',
  ],
  dataCapText: [
    'Prefill pauses until {until}, or until the mark is raised.',
    'Prefill pausiert bis {until} oder bis die Marke angehoben wird.',
  ],
  diskFull: ['The cache is full', 'Der Cache ist voll'],
  diskFullText: [
    'The proxy evicts the least recently used files.',
    'Der Proxy verdrängt die am längsten nicht genutzten Dateien.',
  ],
  diskSoon: ['Days until the cache is full: {days}', 'Tage, bis der Cache voll ist: {days}'],
  diskSoonText: ['At the growth of the last weeks.', 'Beim Wachstum der letzten Wochen.'],
  dnsBroken: ['Domains no longer lead to the cache', 'Domains führen nicht mehr zum Cache'],
  'folder.missing_directory': [
    'The log folder of {name} is missing.',
    'Der Protokollordner von {name} fehlt.',
  ],
  'folder.no_sources': [
    'There are no logs in the log folder of {name}.',
    'Im Protokollordner von {name} liegen keine Protokolle.',
  ],
  'folder.permission_denied': [
    'Larder has no permission to read the logs of {name}.',
    'Larder darf die Protokolle von {name} nicht lesen.',
  ],
  'folder.too_many_files': [
    'There are too many files in the log folder of {name}.',
    'Im Protokollordner von {name} liegen zu viele Dateien.',
  ],
  'folder.unreadable_file': [
    'The current log of {name} cannot be read.',
    'Das aktuelle Protokoll von {name} ist nicht lesbar.',
  ],
  gamesLate: ['The games will not be ready by {due}', 'Die Spiele sind bis {due} nicht bereit'],
  gamesLateText: [
    'At the measured rate they are ready at {ready}.',
    'Bei der gemessenen Rate sind sie am {ready} bereit.',
  ],
  gamesLateUnknown: [
    'It is not known when they will be ready.',
    'Wann sie bereit sind, ist nicht bekannt.',
  ],
  gamesNoSpace: ['The games do not fit in the cache', 'Die Spiele passen nicht in den Cache'],
  gamesNoSpaceText: [
    'Even without everything that is neither pinned nor to be ready.',
    'Auch ohne alles, was weder angeheftet noch bereitzustellen ist.',
  ],
  gamesReady: ['All games are ready: {count}', 'Alle Spiele sind bereit: {count}'],
  gamesSignedOut: [
    'Games cannot be fetched: {platforms} needs a session that is signed in',
    'Spiele lassen sich nicht laden: {platforms} braucht eine angemeldete Sitzung',
  ],
  gamesSignIn: [
    'Start the persistent session and sign in on the page Platform accounts.',
    'Starte die dauerhafte Sitzung auf der Seite „Plattform-Konten“ und melde dich an.',
  ],
  jobFailed: ['{name} failed', 'Fehlgeschlagen: {name}'],
  jobFinished: ['{name} finished', 'Abgeschlossen: {name}'],
  jobInterrupted: ['Interrupted by a restart', 'Durch einen Neustart unterbrochen'],
  logsUnread: ['Logs are not read: {reason}.', 'Protokolle werden nicht gelesen: {reason}.'],
  missedSlices: [
    'Repeatedly missed slices found: {count}',
    'Wiederholt verfehlte Slices gefunden: {count}',
  ],
  newBuild: ['New build of {name}', 'Neuer Build von {name}'],
  newBuildClients: ['For clients: {clients}', 'Für Clients: {clients}'],
  newBuildText: ['{size}, for clients: {clients}', '{size}, für Clients: {clients}'],
  nodeAway: ['The node {name} is away.', 'Der Knoten {name} ist nicht erreichbar.'],
  nodesAway: ['Figures of caches are missing', 'Zahlen von Caches fehlen'],
  notCounting: ['Larder does not count downloads', 'Larder zählt keine Downloads'],
  oldLogsIgnored: ['Old log files are not read', 'Alte Protokolldateien werden nicht gelesen'],
  reportsPaused: ['Reports are paused', 'Auswertungen pausieren'],
  rowsStuck: [
    'Rows cannot be sent to the database.',
    'Zeilen lassen sich nicht an die Datenbank senden.',
  ],
  serviceWell: ['Everything works again', 'Alles läuft wieder'],
  signInAgain: [
    'Sign in again in the settings of Larder.',
    'Melde dich in den Einstellungen von Larder neu an.',
  ],
  signInEnded: [
    'The sign-in to {platform} has ended',
    'Die Anmeldung bei {platform} wurde beendet',
  ],
  signInExpired: [
    'The sign-in to {platform} has expired',
    'Die Anmeldung bei {platform} ist abgelaufen',
  ],
  test: ['Test of notifications', 'Test der Benachrichtigungen'],
  testText: ['Larder can reach the target “{name}”.', 'Larder erreicht das Ziel „{name}“.'],
} as const satisfies Record<string, readonly [english: string, german: string]>

/** Why logs are not read, in German; an error of the disk stays as it is. */
const germanStandstills: Readonly<Record<string, string>> = {
  mismatch: 'Leseposition und Verlauf passen nicht zusammen',
  paused_outbox_full: 'zu viele Zeilen warten auf die Datenbank',
  storage_damaged: 'lokale Daten sind beschädigt',
  stopped: 'der Leser ist gestoppt',
}

/** Messages of finished jobs in German, with members of their context. */
const germanOutcomes: Readonly<Partial<Record<OperationType, string>>> = {
  databaseReset: 'Geleerte Tabellen: {tablesCleared}',
  dataImport:
    'Übernommen: {recordsImported}, übersprungen: {recordsSkipped}, Fehler: {recordsErrors}',
  depotMapping: 'Zuordnungen: {totalMappings}, neu benannte Downloads: {downloadsUpdated}',
  statusCheck: 'Domains, die zum Cache führen: {resolvedDomains} von {totalDomains}',
}

type Texts = typeof noticeTexts

/** What notifications say, in their language at the moment. */
export function createNoticeTexts(language: () => SettingValue<'notifications.language'>) {
  const isGerman = () => language() === 'de'

  const say = <Key extends keyof Texts>(key: Key, ...values: PhraseNeeds<Texts[Key][0]>): string =>
    filled(noticeTexts[key][isGerman() ? 1 : 0], values[0] ?? {})

  return {
    say,
    locale: () => (isGerman() ? 'de' : 'en-GB'),
    /** A job by its name; one that was created before names had keys keeps its English name. */
    job({ name, nameKey, nameContext }: Named): string {
      const names: Readonly<Record<string, string>> = germanJobNames
      const german = isGerman() && nameKey !== null ? names[nameKey] : undefined
      return german === undefined ? name : filled(german, nameContext ?? {})
    },
    /** Why a job failed. */
    failure: (job: FailedJob): string => (isGerman() ? germanFailure(job) : (job.error ?? '')),
    /** What a finished job says of itself; empty in German where that is known in English only. */
    outcome({
      type,
      message,
      context,
    }: Pick<OperationView, 'type' | 'message' | 'context'>): string {
      if (message === null || !isGerman()) return message ?? ''
      const counts = Object.entries(context ?? {}).filter(([, value]) => typeof value === 'number')
      return filled(germanOutcomes[type] ?? '', Object.fromEntries(counts) as PhraseValues)
    },
    trouble(trouble: Trouble): string {
      if (trouble.part === 'database') return say(`database.${trouble.state}`)
      if (trouble.part === 'folder') return say(`folder.${trouble.problem}`, trouble)
      if (trouble.part === 'node') return say('nodeAway', trouble)
      if (trouble.part === 'rows') return say('rowsStuck')
      const { state, reason } = trouble
      const german = isGerman() ? germanStandstills[state] : undefined
      if (german === undefined) return say('logsUnread', { reason })
      const node = /^[^:\s]+: /.exec(reason)?.[0] ?? ''
      return say('logsUnread', { reason: `${node}${german}` })
    },
  }
}
export type NoticeTexts = ReturnType<typeof createNoticeTexts>
