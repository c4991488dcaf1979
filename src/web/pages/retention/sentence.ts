import { byteText } from '../../format/numbers.ts'
import { serviceName } from '../../format/services.ts'
import { t, tn } from '../../locales/translate.ts'
import type { RuleBody } from './queries.ts'

/** The server's own name for a depot that nobody named. */
const unnamed = /^Unknown Game \(Depot (\d+)\)$/

export function shownGame(name: string): string {
  const depot = unnamed.exec(name)?.[1]
  return depot === undefined ? name : t('game.depot', { id: depot })
}

/** What a rule means, as one sentence. */
export function sentenceOf(
  rule: Omit<RuleBody, 'name'>,
  gameName: (key: string) => string,
): string {
  const service = rule.service ?? null
  const of =
    rule.gameKey != null
      ? shownGame(gameName(rule.gameKey))
      : service === null
        ? t('retention.ofAll')
        : t('retention.ofService', { service: serviceName(service) })
  const where = rule.datasource == null ? '' : t('retention.inSource', { name: rule.datasource })
  const what = where === '' ? of : `${of} ${where}`
  const size = byteText(rule.bytes ?? 0)
  const days = rule.days ?? 0
  const sentences: Record<RuleBody['condition'], () => string> = {
    storedLongerThan: () => tn('retention.saysStored', days, { what }),
    unusedFor: () => tn('retention.saysUnused', days, { what }),
    gameLargerThan: () => t('retention.saysLarge', { what, size }),
    serviceAbove: () =>
      t('retention.saysService', {
        service: service === null ? '…' : serviceName(service),
        size,
      }),
    diskBelow: () => t('retention.saysDisk', { what, size }),
  }
  return sentences[rule.condition]()
}
