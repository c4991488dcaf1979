import type { Key } from '../../../locales/translate.ts'
import type { Rule, RuleBody } from './queries.ts'

type Condition = RuleBody['condition']

/** A rule being edited; numbers are kept as typed. */
export interface Draft {
  name: string
  condition: Condition
  service: string
  gameKey: string
  datasource: string
  days: string
  gigabytes: string
}

const gigabyte = 1e9

export const needsDays = (condition: Condition): boolean =>
  condition === 'storedLongerThan' || condition === 'unusedFor'

export const emptyDraft: Draft = {
  name: '',
  condition: 'unusedFor',
  service: '',
  gameKey: '',
  datasource: '',
  days: '90',
  gigabytes: '100',
}

export const draftOf = (rule: Rule): Draft => ({
  name: rule.name,
  condition: rule.condition,
  service: rule.service ?? '',
  gameKey: rule.gameKey ?? '',
  datasource: rule.datasource ?? '',
  days: rule.days === null ? emptyDraft.days : String(rule.days),
  gigabytes: rule.bytes === null ? emptyDraft.gigabytes : String(rule.bytes / gigabyte),
})

const orNull = (text: string): string | null => (text === '' ? null : text)

const bytesOf = ({ gigabytes }: Draft): number =>
  Math.round(Number(gigabytes.replace(',', '.')) * gigabyte)

/** Why a rule can't be previewed or saved yet; null when it can. */
export function missingIn(draft: Draft): Key | null {
  const { condition, name, service } = draft
  const [days, bytes] = [Number(draft.days), bytesOf(draft)]
  if (name.trim() === '') return 'retention.needsName'
  if (needsDays(condition)) {
    const isRight = Number.isInteger(days) && days >= 1 && days <= 3660
    return isRight ? null : 'retention.needsDays'
  }
  if (!Number.isSafeInteger(bytes) || bytes < 1) return 'retention.needsBytes'
  return condition === 'serviceAbove' && service === '' ? 'retention.needsService' : null
}

/** The rule's request body; null while something is missing or invalid. */
export function bodyOfDraft(draft: Draft): RuleBody | null {
  if (missingIn(draft) !== null) return null
  const { condition } = draft
  const [days, bytes] = [Number(draft.days), bytesOf(draft)]
  const isTotal = condition === 'serviceAbove'
  return {
    name: draft.name.trim(),
    condition,
    service: orNull(draft.service),
    gameKey: isTotal ? null : orNull(draft.gameKey),
    datasource: isTotal ? null : orNull(draft.datasource),
    days: needsDays(condition) ? days : null,
    bytes: needsDays(condition) ? null : bytes,
  }
}
