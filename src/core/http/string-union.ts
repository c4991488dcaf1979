import { Type } from '@sinclair/typebox'

/** One of a list of words; a plain union of a mapped list would lose the type. */
export const stringUnion = <const T extends readonly string[]>(values: T) =>
  Type.Unsafe<T[number]>(Type.Union(values.map((value) => Type.Literal(value))))
