import { Type, type Static } from '@sinclair/typebox'
import { Model, Nullable, Text } from '../../core/http/schema.ts'
import { stringUnion } from '../../core/http/string-union.ts'

/**
 * `hide`: neither shown nor counted. `exclude`: listed, but left out of sums, counts and averages.
 */
export const exclusionModes = ['exclude', 'hide'] as const

export const ClientExclusionRule = Model('ClientExclusionRule', {
  ip: Text,
  mode: stringUnion(exclusionModes),
})
export type ClientExclusionRule = Static<typeof ClientExclusionRule>

export const ExclusionSettings = Model('ExclusionSettings', {
  /** The addresses with mode `exclude`. */
  ips: Type.Array(Text),
  rules: Type.Array(ClientExclusionRule),
})
export type ExclusionSettings = Static<typeof ExclusionSettings>

export const ExclusionsBody = Type.Object({
  ips: Type.Optional(Nullable(Type.Array(Text))),
  /** If given, replaces the whole set; `ips` is then ignored. */
  rules: Type.Optional(
    Nullable(Type.Array(Type.Object({ ip: Text, mode: Type.Optional(Nullable(Text)) }))),
  ),
})
export type ExclusionsBody = Static<typeof ExclusionsBody>

export const ExclusionsRefused = Type.Object({
  error: Text,
  message: Type.Optional(Text),
  invalidIps: Type.Optional(Type.Array(Text)),
})
