import type { TSchema } from '@sinclair/typebox'
import { resolveSchema, type Schema } from './contract.ts'

interface JsonSchema {
  type?: string
  const?: unknown
  anyOf?: JsonSchema[]
  properties?: Record<string, JsonSchema>
  required?: string[]
  items?: JsonSchema
}

/** The JSON types that a schema admits. */
function typesOf(schema: JsonSchema): Set<string> {
  if (schema.anyOf !== undefined) return new Set(schema.anyOf.flatMap((one) => [...typesOf(one)]))
  if (schema.const !== undefined) return new Set([typeof schema.const])
  return new Set(schema.type === undefined ? [] : [schema.type])
}

const declaredTypes = (schema: Schema): string[] =>
  schema.type === undefined ? [] : [schema.type].flat()

/** The object branch of a schema that may also be null. */
const objectBranch = (schema: JsonSchema): JsonSchema | undefined =>
  schema.properties === undefined
    ? schema.anyOf?.find((one) => one.properties !== undefined)
    : schema

function typeFault(declared: Schema, ours: JsonSchema, path: string): string[] {
  const wanted = declaredTypes(declared)
  const offered = typesOf(ours)
  if (wanted.length === 0 || offered.size === 0) return []
  const faults: string[] = []
  for (const type of offered) {
    const isFine =
      wanted.includes(type) ||
      (type === 'integer' && wanted.includes('number')) ||
      // The contract says "object" for members whose shape it does not describe.
      (wanted.includes('object') && declared.properties === undefined)
    if (!isFine) faults.push(`${path}: offers ${type}, the contract says ${wanted.join('|')}`)
  }
  return faults
}

/**
 * Where a response schema falls short of the contract's: missing members, optional members that are
 * required, members of another type. Additional members are allowed.
 */
export function shapeFaults(
  declared: Schema | null,
  ours: TSchema | JsonSchema,
  path = '',
): string[] {
  const target = resolveSchema(declared ?? undefined)
  if (target === null) return []
  const faults = typeFault(target, ours as JsonSchema, path || 'body')
  if (target.properties !== undefined) {
    const branch = objectBranch(ours as JsonSchema)
    if (branch === undefined) return [...faults, `${path || 'body'}: is not an object`]
    for (const [name, member] of Object.entries(target.properties)) {
      const offered = branch.properties?.[name]
      const where = `${path}.${name}`
      if (offered === undefined) faults.push(`${where}: missing`)
      else faults.push(...shapeFaults(member, offered, where))
    }
    for (const name of target.required ?? []) {
      const isOptional = branch.properties?.[name] !== undefined && !branch.required?.includes(name)
      if (isOptional) faults.push(`${path}.${name}: may be absent`)
    }
  }
  const items = (ours as JsonSchema).items
  if (target.items !== undefined && items !== undefined) {
    faults.push(...shapeFaults(target.items, items, `${path}[]`))
  }
  return faults
}
