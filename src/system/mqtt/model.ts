import { Type, type Static } from '@sinclair/typebox'
import { Flag, Model, Nullable, Text, Utc } from '../../core/http/schema.ts'
import { stringUnion } from '../../core/http/string-union.ts'

export const mqttStates = ['off', 'connecting', 'connected'] as const

export const MqttBody = Model('MqttBody', {
  isEnabled: Flag,
  /** `mqtt://` or `mqtts://` with host and port. */
  url: Type.String({ maxLength: 300 }),
  user: Type.Optional(Nullable(Type.String({ maxLength: 255 }))),
  /** Left out: stays as it is, unless the broker changes. */
  password: Type.Optional(Nullable(Type.String({ maxLength: 1000 }))),
  /** First level of the topics. */
  prefix: Type.String({ minLength: 1, maxLength: 64, pattern: '^[\\w-]+(/[\\w-]+)*$' }),
})
export type MqttBody = Static<typeof MqttBody>

export const MqttView = Model('Mqtt', {
  isEnabled: Flag,
  url: Text,
  user: Nullable(Text),
  hasPassword: Flag,
  prefix: Text,
  state: stringUnion(mqttStates),
  /** Why the last attempt to connect failed. */
  error: Nullable(Text),
  lastPublishedAtUtc: Nullable(Utc),
})
export type MqttView = Static<typeof MqttView>
