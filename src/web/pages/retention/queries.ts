import type { Static } from '@sinclair/typebox'
import { useQuery } from '@tanstack/react-query'
import type * as model from '../../../api/cache/retention/model.ts'
import { api, unwrap } from '../../api/eden.ts'
import { keys } from '../../api/keys.ts'
import { useIsAccount } from '../../api/queries.ts'

export type Rule = Static<typeof model.RuleView>
export type RuleBody = Static<typeof model.RuleBody>
export type Pending = Static<typeof model.PendingList>['items'][number]
export type Preview = Static<typeof model.Preview>['rules'][number]

export const retentionKey = [...keys.cache, 'retention']
const retention = api.ext.retention

/** In the order in which they are asked. */
export const useRules = () =>
  useQuery({
    queryKey: [...retentionKey, 'rules'],
    queryFn: async ({ signal }) =>
      (await unwrap(retention.rules.get({ fetch: { signal } }))).items.toSorted(
        (a, b) => a.position - b.position,
      ),
    enabled: useIsAccount(),
  })

/** The first to leave first. */
export const usePending = () =>
  useQuery({
    queryKey: [...retentionKey, 'pending'],
    queryFn: async ({ signal }) =>
      (await unwrap(retention.pending.get({ fetch: { signal } }))).items.toSorted((a, b) =>
        a.dueAtUtc.localeCompare(b.dueAtUtc),
      ),
    enabled: useIsAccount(),
  })

export const usePins = () =>
  useQuery({
    queryKey: [...retentionKey, 'pins'],
    queryFn: async ({ signal }) => (await unwrap(retention.pins.get({ fetch: { signal } }))).items,
    enabled: useIsAccount(),
  })

export const useRetentionSettings = () =>
  useQuery({
    queryKey: [...retentionKey, 'settings'],
    queryFn: ({ signal }) => unwrap(retention.settings.get({ fetch: { signal } })),
    enabled: useIsAccount(),
  })

/** A rule as it is sent: what the server knows by itself is left out. */
export const bodyOf = (rule: Rule): RuleBody => {
  const { id: _id, createdAtUtc: _created, updatedAtUtc: _updated, ...body } = rule
  return body
}
