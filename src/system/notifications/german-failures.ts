import { failuresText, type Failure } from '../../core/lib/failures.ts'
import { filled } from '../../core/lib/phrases.ts'
import type { OperationView } from '../../core/operations/contract.ts'
import { isWithoutHistory, unexpectedFailure } from '../../core/operations/run.ts'
import { treeProblems } from '../../engines/cache/index/problems.ts'

/** Why a tree of the cache cannot be read, as in the dashboard. */
export const germanTreeProblems: Record<keyof typeof treeProblems, string> = {
  collapsed:
    'Nur noch {left} von {before} Dateien sind vorhanden; der Index wurde nicht geändert. ' +
    'Ist der richtige Datenträger eingehängt?',
  denied: 'Keine Leserechte für {path}; starte Larder als Benutzer des Proxys',
  empty: '{path} ist leer; ist der Datenträger eingehängt?',
  fileUnread: '1 Datei konnte nicht gelesen werden: {first}',
  filesUnread: '{count} Dateien konnten nicht gelesen werden: {first}',
  flat: 'Der Cache hat keine Unterverzeichnisse; unterstützt wird nur levels=2:2',
  foreign: '{path} enthält keine Hash-Verzeichnisse und ist kein Proxy-Cache',
  layout: 'Der Cache nutzt {levels}; unterstützt wird nur levels=2:2',
  missing: '{path} gibt es nicht',
  notDirectory: '{path} ist kein Verzeichnis',
  unreadable: '{path} konnte nicht gelesen werden ({code})',
  unresponsive: 'Das Dateisystem von {path} antwortet nicht',
  unwritten: 'Der Index konnte nicht geschrieben werden: {reason}',
}

/** Why jobs that prefill failed, as in the dashboard. */
export const germanReasons: Readonly<Record<string, string>> = {
  '{percent} % of the line’s monthly volume are used':
    '{percent} % des Monatsvolumens sind verbraucht',
  'A manual prefill session is active': 'jemand nutzte eine eigene Prefill-Sitzung',
  'A prefill is already in progress': 'es lief schon ein Prefill',
  'Exceeded maximum service runtime': 'der Lauf dauerte länger als erlaubt',
  'Larder was restarted during this prefill': 'Larder wurde währenddessen neu gestartet',
  'No daemon registered for this service': 'die Plattform hat keinen Daemon',
  'No game could be prefilled': 'kein Spiel ließ sich laden',
  'No running persistent session for {platform}': 'keine dauerhafte Sitzung für {platform} läuft',
  'Prefill failed': 'das Prefill ist fehlgeschlagen',
  'Prefill failed to start': 'das Prefill ist nicht angelaufen',
  'Prefill stalled (no progress)': 'es ging zu lange nicht voran',
  'Prefill stalled: no bytes transferred for {seconds} seconds.':
    '{seconds} Sekunden lang kamen keine Daten',
  'Socket connection lost unexpectedly': 'die Verbindung zum Daemon ging verloren',
  'The persistent session for {platform} is not ready yet':
    'die dauerhafte Sitzung für {platform} war noch nicht bereit',
  'The persistent session for {platform} runs but is not signed in':
    'die dauerhafte Sitzung für {platform} ist nicht angemeldet',
}

/** Matches a text and its values; jobs put the datasource or the platform before it. */
function patternOf(english: string): RegExp {
  const body = RegExp.escape(english).replaceAll(/\\\{(\w+)\\\}/g, '(?<$1>.+)')
  return new RegExp(`^(?<subject>[^:/]+: )?${body}$`)
}

const texts = [
  ...Object.entries(treeProblems).map(([key, english]) => ({
    pattern: patternOf(english),
    german: germanTreeProblems[key as keyof typeof treeProblems], // its own key
  })),
  ...Object.entries(germanReasons).map(([english, german]) => ({
    pattern: patternOf(english),
    german,
  })),
  {
    pattern: patternOf(unexpectedFailure),
    german: 'Unerwarteter Fehler; mehr steht im Protokoll von Larder',
  },
]

/** A text that comes from elsewhere stays as it is. */
function germanOf(english: string): string {
  for (const { pattern, german } of texts) {
    const found = pattern.exec(english)
    if (found === null) continue
    return `${found.groups?.['subject'] ?? ''}${filled(german, found.groups ?? {})}`
  }
  return english
}

export type FailedJob = Pick<OperationView, 'type' | 'context' | 'error'>

/** Why a job failed, in German. */
export function germanFailure({ type, context, error }: FailedJob): string {
  if (error === null) return ''
  const { reason, failures } = context ?? {}
  if (type === 'scheduledPrefill' && reason === 'needsLogin') {
    return 'Alle fälligen Dienste brauchen eine Anmeldung'
  }
  if (type === 'scheduledPrefill' && reason === 'failed') {
    // Written by the job itself.
    const why = failuresText(failures as readonly Failure[], germanOf)
    return `Das Prefill ist gescheitert: ${why}`
  }
  return isWithoutHistory({ context }) ? 'Die Datenbank ist nicht verfügbar' : germanOf(error)
}
