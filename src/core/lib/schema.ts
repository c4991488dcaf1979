import { Type, type TProperties, type TSchema } from '@sinclair/typebox'

/**
 * Whole number in a JSON body or response. `t.Integer` also accepts strings and is three times
 * slower.
 */
export const Int = Type.Integer()
/** Bytes, positions and ids, which outgrow the limits of an integer that declares none. */
export const LargeInt = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
export const Num = Type.Number()
export const Bytes = Type.Integer({ description: 'Bytes' })
export const Percent = Type.Number({ description: 'Percent, 0 to 100' })
export const Ratio = Type.Number({ description: 'Ratio of bytes, 0 to 1' })
export const Text = Type.String()
/** A text whose words the compiler knows; the documents leave them open. */
export const TextOf = <T extends string>() => Type.Unsafe<T>(Text)
export const Flag = Type.Boolean()
/** ISO-8601 UTC timestamp ending in `Z`. */
export const Utc = Type.String({ description: 'ISO-8601, UTC' })
/** A nullable member is always present and `null` when empty. */
export const Nullable = <T extends TSchema>(schema: T, description?: string) =>
  Type.Union([schema, Type.Null()], description === undefined ? {} : { description })
/** One of a list of words; a plain union of a mapped list would lose the type. */
export const stringUnion = <const T extends readonly string[]>(values: T) =>
  Type.Unsafe<T[number]>(Type.Union(values.map((value) => Type.Literal(value))))

/** A text, and its key and values for translated pages. */
export const PhraseText = Type.Object({
  text: Text,
  key: Text,
  values: Type.Record(Type.String(), Type.Union([Text, Num])),
})

/** An object with a name in the API documents, where every use of it refers to one description. */
export const Model = <T extends TProperties>(title: string, properties: T) =>
  Type.Object(properties, { title })
