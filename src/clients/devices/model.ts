import { Type, type Static } from '@sinclair/typebox'
import { deviceKinds } from '../../../db/state/schema/clients.ts'
import { Model, Nullable, Text } from '../../core/http/schema.ts'
import { stringUnion } from '../../core/http/string-union.ts'

export const ClientDevice = Model('ClientDevice', {
  clientIp: Text,
  kind: stringUnion(deviceKinds),
  /** `chosen` by an account; else guessed from its nickname or host name, or its services. */
  basis: stringUnion(['chosen', 'name', 'services']),
})
export type ClientDevice = Static<typeof ClientDevice>

/** Null returns to the guess. */
export const DeviceBody = Type.Object({ kind: Nullable(stringUnion(deviceKinds)) })
