import { byteText } from '../../../format/numbers.ts'
import { serviceName } from '../../../format/services.ts'
import { known, t, tn } from '../../../locales/translate.ts'
import { shownGame } from '../games/entries.ts'
import type { Preview, RuleBody } from './queries.ts'

/** Why a rule abstains; in the server's words if there is no text. */
export function skipReasonText({
  abstains,
  abstainsKey,
  abstainsContext,
}: Pick<Preview, 'abstains' | 'abstainsKey' | 'abstainsContext'>): string {
  const key = known(`retention.abstains.${abstainsKey}`)
  return key === null ? (abstains ?? '') : t(key, abstainsContext ?? {})
}

/** A rule as one sentence. */
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
      t('retention.saysService', { service: service === null ? '…' : serviceName(service), size }),
    diskBelow: () => t('retention.saysDisk', { what, size }),
  }
  return sentences[rule.condition]()
}
