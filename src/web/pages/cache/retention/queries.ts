import type { Static } from '@sinclair/typebox'
import type * as model from '../../../../cache/retention/model.ts'
import { api, keys } from '../../../api/client.ts'
import { useAccountRead } from '../../../api/queries.ts'

export type Rule = Static<typeof model.RuleView>
export type RuleBody = Static<typeof model.RuleBody>
export type Pending = Static<typeof model.PendingList>['items'][number]
export type Preview = Static<typeof model.Preview>['rules'][number]

export const retentionKey = [...keys.cache, 'retention']
const retention = api.ext.retention

/** In evaluation order. */
export const useRules = () =>
  useAccountRead([...retentionKey, 'rules'], retention.rules.get, {
    select: ({ items }) => items.toSorted((a, b) => a.position - b.position),
  })

/** Earliest removal first. */
export const usePending = () =>
  useAccountRead([...retentionKey, 'pending'], retention.pending.get, {
    select: ({ items }) => items.toSorted((a, b) => a.dueAtUtc.localeCompare(b.dueAtUtc)),
  })

export const usePins = () =>
  useAccountRead([...retentionKey, 'pins'], retention.pins.get, { select: ({ items }) => items })

export const useRetentionSettings = () =>
  useAccountRead([...retentionKey, 'settings'], retention.settings.get)

/** A rule's request body, without members that the server sets. */
export const bodyOf = (rule: Rule): RuleBody => {
  const { id: _id, createdAtUtc: _created, updatedAtUtc: _updated, ...body } = rule
  return body
}
