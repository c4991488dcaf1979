import { Type } from '@sinclair/typebox'
import { t } from 'elysia'
import { routesAt } from '../../core/http/access.ts'
import { done, Empty, ErrorBody, Model, Nullable, Text, Utc, Uuid } from '../../core/http/schema.ts'
import type { PhraseValues } from '../../core/lib/phrases.ts'
import type { CacheRouteParts } from '../parts.ts'
import type { Later } from './later.ts'

const values = Nullable(Type.Record(Text, Type.Unknown()))
const LaterRemoval = Model('LaterRemoval', {
  id: Text,
  name: Text,
  nameKey: Nullable(Text),
  nameContext: Type.Unsafe<PhraseValues | null>(values),
  node: Text,
  datasources: Type.Array(Text),
  requestedAtUtc: Utc,
  /** Null: the node is back. */
  awaySinceUtc: Nullable(Utc),
  /** While it is carried out. */
  operationId: Nullable(Text),
  /** Why the last attempt failed. */
  problem: Nullable(Text),
})

export const laterRoutes = ({ access }: CacheRouteParts, later: Later) =>
  routesAt(access, 'Cache and Games', '/api/ext/cache/removals/later')
    .get('', () => ({ items: later.list() }), {
      access: 'account',
      response: { 200: Type.Object({ items: Type.Array(LaterRemoval) }) },
      detail: { summary: 'Removals that wait for a node that was away' },
    })
    .delete('/:id', ({ params }) => done(later.cancel(params.id)), {
      access: 'account',
      params: t.Object({ id: Uuid }),
      response: { 200: Empty, 404: ErrorBody, 409: ErrorBody, 503: ErrorBody },
      detail: { summary: 'Forget the part of a node that is away' },
    })
