import type { Rule, RuleBody } from './queries.ts'

type Condition = RuleBody['condition']

/** A rule while it is written; numbers are what stands in their fields. */
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

/** The rule as it is sent; null while something is missing or no number. */
export function bodyOfDraft(draft: Draft): RuleBody | null {
  const { condition } = draft
  const days = Number(draft.days)
  const bytes = Math.round(Number(draft.gigabytes.replace(',', '.')) * gigabyte)
  const isRight = needsDays(condition)
    ? Number.isInteger(days) && days >= 1 && days <= 3660
    : Number.isSafeInteger(bytes) && bytes >= 1
  if (draft.name.trim() === '' || !isRight) return null
  const isTotal = condition === 'serviceAbove'
  if (isTotal && draft.service === '') return null
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
