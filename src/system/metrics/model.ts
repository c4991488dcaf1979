import { Type, type Static } from '@sinclair/typebox'
import { Flag, Model, Nullable } from '../../core/http/schema.ts'
import { stringUnion } from '../../core/http/string-union.ts'

/** Games that `/metrics` lists. */
export const MetricsGameLimit = Model('MetricsGameLimit', {
  gameLimit: Type.Integer({ minimum: 1, maximum: 500 }),
})

/** Seconds for which an answer of `/metrics` is kept. */
export const MetricsInterval = Model('MetricsInterval', {
  interval: Type.Integer({ minimum: 5, maximum: 60 }),
})

export const MetricsSecurity = Model('MetricsSecurity', {
  requiresAuthentication: Flag,
  /** Where the value comes from: the dashboard or the environment. */
  source: stringUnion(['ui', 'config']),
  canToggle: Flag,
  envVarValue: Flag,
})
export type MetricsSecurity = Static<typeof MetricsSecurity>

export const MetricsSecurityBody = Type.Object({ enabled: Type.Optional(Nullable(Flag)) })
