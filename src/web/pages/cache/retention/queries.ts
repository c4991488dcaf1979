import type { Static } from '@sinclair/typebox'
import type * as model from '../../../../cache/retention/model.ts'
import { api, keys } from '../../../api/client.ts'
import { useDetection } from '../../../api/cache-queries.ts'
import { useReaders } from '../../../app/readers.ts'
import { entriesOf, shownGame } from '../games/entries.ts'
import { useAccountRead } from '../../../api/queries.ts'

export type Rule = Static<typeof model.RuleView>
export type RuleBody = Static<typeof model.RuleBody>
export type Pending = Static<typeof model.PendingList>['items'][number]
export type Preview = Static<typeof model.Preview>['rules'][number]

export const retentionKey = [...keys.cache, 'retention']
const retention = api.ext.retention

export const useCanChange = () => useReaders().admin

/** The games of the cache, which rules can be about, and the names of all. */
export function useGames() {
  const detection = useDetection().data
  const entries = detection === undefined ? [] : entriesOf(detection)
  const games = entries.flatMap(({ key, name, service, kind, files, bytes, depotIds }) =>
    kind === 'service' ? [] : [{ key, name: shownGame(name), service, files, bytes, depotIds }],
  )
  /** `known`: what it was called. A depot that was unknown may be a game's by now. */
  const nameOf = (key: string, known = key) => {
    const game =
      games.find((one) => one.key === key) ??
      games.find(({ depotIds }) => depotIds.some((id) => key === `alpha:${id}`))
    return game?.name ?? shownGame(known)
  }
  return { games, nameOf }
}

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
