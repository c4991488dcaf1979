import { Type, type Static, type TProperties, type TSchema } from '@sinclair/typebox'
import { t } from 'elysia'
import { OperationStatus } from '../operations/contract.ts'
import {
  Bytes,
  Flag,
  Int,
  LargeInt,
  Model,
  Nullable,
  Num,
  Percent,
  Ratio,
  Text,
  Utc,
} from '../lib/schema.ts'

export { OperationStatus }
export { Bytes, Flag, Int, LargeInt, Model, Nullable, Num, Percent, Ratio, Text, Utc }

/**
 * Id of a row in a path or a query. Numbers beyond any row's id become 0, so that they are answered
 * with 404 like any unknown id.
 */
export const RowId = Type.Transform(t.Integer())
  .Decode((id: number) => (Number.isSafeInteger(id) && id > 0 ? id : 0))
  .Encode((id) => id)

/**
 * A path parameter that the documents name otherwise than the route does: the router wants one name for
 * a place in all paths.
 */
export const named = <T extends TSchema>(schema: T, name: string): T => ({
  ...schema,
  'x-name': name,
})

/** A flag and a whole number in a query string. */
export const QueryFlag = t.Optional(t.Boolean())
export const QueryInt = t.Optional(t.Integer())

/** Unix seconds in a query string, 0 to the year 9999. */
export const UnixSeconds = t.Optional(t.Integer({ minimum: 0, maximum: 253_402_300_799 }))

/** What a handler reads of a query that may be empty. */
export type QueryOf<T extends TProperties> = { [K in keyof T]?: Static<T[K]> | undefined }

/** Some refusals add members of their own, which their operations document. */
export const ErrorBody = Model('ErrorBody', {
  error: Text,
  stageKey: Type.Optional(Type.String({ description: 'Key for a translated text' })),
  errors: Type.Optional(Type.Array(Type.Object({ field: Text, message: Text }))),
  statusCode: Type.Optional(Int),
  traceId: Type.Optional(Type.String({ description: 'The header X-Request-Id of this answer' })),
})
export const MessageResponse = Model('MessageResponse', { success: Flag, message: Text })
export const MessageOnlyResponse = Model('MessageOnlyResponse', { message: Text })
/** A whole file as the answer, in one of these media types. */
export const FileOf = (...mediaTypes: string[]) => Type.String({ 'x-media-types': mediaTypes })
/** Any JSON value, which the operation judges itself; the documents describe what it accepts. */
export const Judged = (accepted: TSchema) => Type.Unknown({ ...accepted })
/** A request body with an example, which the documents show. */
export const example = <T extends TSchema>(body: T, value: Static<T>): T => ({
  ...body,
  examples: [value],
})
/** `R: none`: an empty body with 200. */
export const Empty = Type.Void()
export const Uuid = t.String({ format: 'uuid' })

/** An empty body with 200, after a change: `done(service.delete(id))`. */
export const done = (_change?: void): Response => new Response(null, { status: 200 })

/** An answer with a message, after a change: `succeeded('Schedule deleted', schedules.remove(id))`. */
export const succeeded = (message: string, _change: void) => ({ success: true, message })
export const withMessage = (message: string, _change: void) => ({ message })
