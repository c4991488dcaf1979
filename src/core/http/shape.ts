/** The members of a schema that are read when checking a request. */
export interface Shape {
  type?: string
  properties?: Record<string, Shape>
  required?: string[]
  items?: Shape
  anyOf?: Shape[]
  const?: unknown
  format?: string
  pattern?: string
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  /** Name in the documents, where the route has another one. */
  'x-name'?: string
}

/** An integer without declared limits has those of a Postgres `integer`. */
const integerMax = 2_147_483_647

/** A nullable enum is a union within a union. */
export const branchesOf = (schema: Shape): readonly Shape[] =>
  schema.anyOf?.flatMap(branchesOf) ?? [schema]

/** The values of an enum; empty for any other schema. */
export function literalsOf(schema: Shape): string[] {
  const constants = branchesOf(schema).map((branch) => branch.const)
  return constants.filter((value) => typeof value === 'string')
}

/** Whether a body contains a file and is therefore sent as a form. */
export const hasFile = (body: Shape): boolean =>
  Object.values(body.properties ?? {}).some(({ format }) => format === 'binary')

export const integerOf = (schema: Shape): Shape | undefined =>
  branchesOf(schema).find((branch) => branch.type === 'integer')

export function limitsOf({ minimum = -integerMax, maximum = integerMax }: Shape) {
  return { minimum, maximum }
}

/** Whether a number is within the declared limits, or the default ones of integers. */
export function isWithinLimits(schema: Shape, value: unknown): boolean {
  const integer = integerOf(schema)
  if (typeof value !== 'number' || integer === undefined) return true
  const { minimum, maximum } = limitsOf(integer)
  return value >= minimum && value <= maximum
}
