import { failuresText, type Failure } from '../../core/lib/failures.ts'
import { filled } from '../../core/lib/phrases.ts'
import { unexpectedFailure } from '../../core/operations/run.ts'
import type { OperationView } from '../../core/operations/contract.ts'
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

/** Matches a text and its values; jobs put the datasource before it. */
function patternOf(english: string): RegExp {
  const body = RegExp.escape(english).replaceAll(/\\\{(\w+)\\\}/g, '(?<$1>.+)')
  return new RegExp(`^(?<datasource>[^:/ ]+: )?${body}$`)
}

const texts = [
  ...Object.entries(treeProblems).map(([key, english]) => ({
    pattern: patternOf(english),
    german: germanTreeProblems[key as keyof typeof treeProblems], // its own key
  })),
  {
    pattern: patternOf(unexpectedFailure),
    german: 'Unerwarteter Fehler; mehr steht im Protokoll von Larder',
  },
  {
    pattern: /^The history database is unavailable\b/,
    german: 'Die Datenbank ist nicht verfügbar',
  },
]

/** Why a prefill failed, as in the dashboard; texts of daemons stay as they are. */
export const germanPrefillReasons: ReadonlyMap<string, string> = new Map([
  ['Exceeded maximum service runtime', 'der Lauf dauerte länger als erlaubt'],
  ['No game could be prefilled', 'kein Spiel ließ sich laden'],
  ['Prefill stalled (no progress)', 'es ging zu lange nicht voran'],
  ['Socket connection lost unexpectedly', 'die Verbindung zum Daemon ging verloren'],
])

export type FailedJob = Pick<OperationView, 'type' | 'context' | 'error'>

/** Why a job failed, in German; a reason that comes from elsewhere stays as it is. */
export function germanFailure({ type, context, error }: FailedJob): string {
  if (error === null) return ''
  const { reason, failures } = context ?? {}
  if (type === 'scheduledPrefill' && reason === 'needsLogin') {
    return 'Alle fälligen Dienste brauchen eine Anmeldung'
  }
  if (type === 'scheduledPrefill' && reason === 'failed') {
    // Written by the job itself.
    const failed = failures as readonly Failure[]
    const why = failuresText(failed, (one) => germanPrefillReasons.get(one) ?? one)
    return `Das Prefill ist gescheitert: ${why}`
  }
  for (const { pattern, german } of texts) {
    const found = pattern.exec(error)
    if (found === null) continue
    return `${found.groups?.['datasource'] ?? ''}${filled(german, found.groups ?? {})}`
  }
  return error
}
