import { countText } from '../../../format/numbers.ts'
import { durationText } from '../../../format/times.ts'
import { t } from '../../../locales/translate.ts'

const numberOf = (value: unknown): number | null => (typeof value === 'number' ? value : null)

/** A running scan's reported figures; missing ones are omitted. */
export function factsOf(context: Record<string, unknown>): { label: string; value: string }[] {
  const count = (name: string) => numberOf(context[name])
  const pair = (done: number | null, total: number | null) =>
    done === null
      ? null
      : // The first scan does not know the number of files: the total is the count so far.
        total === null || total <= done
        ? countText(done)
        : t('corruption.of', { done: countText(done), total: countText(total) })
  const isStructural = context['detectionMethod'] === 'structural'
  const rate = count('filesPerSecond')
  const eta = count('etaSeconds')
  const inspected = count('filesInspected')
  const lines = count('linesRead')
  const found = count(isStructural ? 'totalCorrupted' : 'suspects')
  const pass = isStructural
    ? context['pass'] === 'counting'
      ? t('corruption.passCounting')
      : context['effectiveScanMode'] === 'baseline'
        ? t('corruption.passBaseline')
        : t('corruption.passScanning')
    : context['stage'] === 'analysing'
      ? t('corruption.passFiles')
      : t('corruption.passReading')
  const files = isStructural
    ? pair(count('filesProcessed'), count('totalFiles'))
    : pair(count('filesRead'), count('filesTotal'))
  const facts = [
    { label: t('corruption.pass'), value: pass },
    { label: t(isStructural ? 'corruption.files' : 'corruption.logFiles'), value: files },
    { label: t('corruption.inspected'), value: inspected === null ? null : countText(inspected) },
    { label: t('corruption.lines'), value: lines === null ? null : countText(lines) },
    {
      label: t('corruption.rate'),
      value: rate === null ? null : t('corruption.perSecond', { count: countText(rate) }),
    },
    { label: t('corruption.left'), value: eta === null ? null : durationText(eta) },
    { label: t('corruption.foundSoFar'), value: found === null ? null : countText(found) },
  ]
  return facts.flatMap(({ label, value }) => (value === null ? [] : [{ label, value }]))
}
