import { branchesOf, limitsOf, literalsOf, type Shape } from './shape.ts'

/** Longer texts are truncated when repeated to their sender. */
const shownCharsMax = 40
/** Longer lists of values are cut. */
const shownValuesMax = 20
/** Members whose value is never repeated. */
const secretName = /pass|secret|token|key|code|credential/i

function range({ minimum, maximum }: { minimum?: number; maximum?: number }): string {
  if (minimum !== undefined && maximum !== undefined) return ` from ${minimum} to ${maximum}`
  if (minimum !== undefined) return ` of at least ${minimum}`
  return maximum === undefined ? '' : ` of at most ${maximum}`
}

const textual = ({ format, minLength, maxLength, pattern }: Shape): string =>
  format === 'uuid'
    ? 'a UUID'
    : `text${minLength === undefined ? '' : `, not empty`}${
        maxLength === undefined ? '' : `, of at most ${maxLength} characters`
      }${pattern === undefined ? '' : `, that matches ${pattern}`}`

function single(schema: Shape): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.type === 'integer') return `a whole number${range(limitsOf(schema))}`
  if (schema.type === 'number') return `a number${range(schema)}`
  if (schema.type === 'boolean') return 'true or false'
  if (schema.type === 'null') return 'null'
  if (schema.type === 'string') return schema.format === 'binary' ? 'a file' : textual(schema)
  if (schema.type === 'object') return 'an object'
  if (schema.type !== 'array') return 'a value'
  const most = schema.maxItems === undefined ? '' : ` of at most ${schema.maxItems} entries`
  return `a list${most}`
}

const arrivals: readonly (string | undefined)[] = ['integer', 'numeric', 'boolean']

/** Describes what a schema accepts. */
export function expected(schema: Shape): string {
  const literals = literalsOf(schema)
  if (literals.length > 1) {
    const orNull = branchesOf(schema).some(({ type }) => type === 'null') ? ' or null' : ''
    return `one of ${literals.slice(0, shownValuesMax).join(', ')}${orNull}`
  }
  // Numbers and flags in a query also have the text form in which they arrive: not informative.
  const isArrival = ({ type, format }: Shape) => type === 'string' && arrivals.includes(format)
  const branches = branchesOf(schema).filter((branch) => !isArrival(branch))
  return branches.map(single).join(' or ')
}

/** A received value, truncated, as part of a sentence. Omits values of secret members. */
export function received(value: unknown, field = ''): string {
  if (value === undefined) return 'nothing'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object' && value !== null) return 'an object'
  if (secretName.test(field)) return 'a value that is not repeated here'
  const text = JSON.stringify(value)
  return text.length > shownCharsMax ? `${text.slice(0, shownCharsMax)}…` : text
}
