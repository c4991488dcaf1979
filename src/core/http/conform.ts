/*
 * Request bodies are checked once, before the framework sees them. The framework reads forms where
 * JSON is documented, drops unknown members, splits a text where a list is expected, and parses a
 * body before it knows the caller. The access macro admits the caller first and reads the body
 * afterwards: `request-body.ts` checks media type and size, `conform.ts` checks names, values and
 * types. Names and enum values match regardless of case. Unknown members, null characters, lone
 * surrogates, bodies nested deeper than 12 levels and integers beyond their limits (a Postgres
 * `integer` where none are declared) are refused with 400. Members of the route's own answers are
 * ignored beside known ones, so that scripts can send back what they read with one value changed;
 * alone they are refused, because the sender means something by them.
 */
import type { TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { emptyRecord, isRecord } from '../lib/record.ts'
import { faultsMax, type Fault } from './errors.ts'
import { expected, received } from './validation-texts.ts'
import { branchesOf, isWithinLimits, literalsOf, type Shape } from './shape.ts'

/** No valid body is nested deeper. */
const depthMax = 12

const hasMembers = (value: unknown): value is Record<string, unknown> =>
  isRecord(value) && !(value instanceof Blob)

const within = (field: string, name: string) => (field === '' ? name : `${field}.${name}`)

/** Postgres can store neither of them, and file systems cut names at the first. */
function textFault(text: string): string | null {
  if (text.includes('\0')) return 'Contains a null character'
  return text.isWellFormed()
    ? null
    : 'Contains half of a surrogate pair, which is not valid Unicode'
}

/** Longer names are not compared: they are no typing mistake. */
const comparedCharsMax = 64
const shownNamesMax = 20

/** Edits that turn one text into the other (Levenshtein). */
function distance(a: string, b: string): number {
  const [lefts, rights] = [a.split(''), b.split('')]
  let row = Array.from({ length: rights.length + 1 }, (_, index) => index)
  for (const [i, left] of lefts.entries()) {
    const next = [i + 1]
    for (const [j, right] of rights.entries()) {
      const replaced = (row[j] ?? 0) + (left === right ? 0 : 1)
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}

/** `did you mean "x"?` when one name is similar, else the list of names. */
function nearestName(sent: string, names: readonly string[]): string {
  const text = sent.slice(0, comparedCharsMax).toLowerCase()
  const ranked = names
    .map((name) => ({ name, edits: distance(text, name.toLowerCase()) }))
    .sort((a, b) => a.edits - b.edits)
  const [best] = ranked
  if (best === undefined) return 'no member is'
  if (best.edits <= Math.max(2, best.name.length / 3)) return `did you mean "${best.name}"?`
  return `known are ${names.slice(0, shownNamesMax).join(', ')}`
}

/**
 * Checks a value against its schema before the framework does, which would drop unknown members,
 * split a text where a list is expected, and compare names and enum values exactly.
 */
export class Conformer {
  readonly faults: Fault[] = []
  readonly #answered: ReadonlySet<string>

  /**
   * `answered`: lower-case names of members of the route's answers, which are ignored beside known
   * ones. Alone they are refused: the sender means something by them.
   */
  constructor(answered: ReadonlySet<string> = new Set()) {
    this.#answered = answered
  }

  /**
   * Reports texts that cannot be stored and numbers that JavaScript cannot represent, at any depth.
   */
  clean(value: unknown, field: string, depth = 0): void {
    if (depth > depthMax) this.#note(field, `Is nested deeper than ${depthMax} levels`)
    else if (typeof value === 'string') this.#noteText(value, field)
    else if (typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER) {
      this.#note(field, 'Is a number beyond what can be held exactly')
    } else if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) {
        this.clean(item, within(field, String(index)), depth + 1)
      }
    } else if (hasMembers(value)) {
      for (const [name, member] of Object.entries(value)) {
        this.#noteText(name, within(field, received(name)))
        this.clean(member, within(field, name), depth + 1)
      }
    }
  }

  /** The value with names and enum values in the schema's spelling; faults are collected. */
  conform(schema: Shape, value: unknown, field: string): unknown {
    if (hasMembers(value)) {
      const shape = branchesOf(schema).find((branch) => branch.properties !== undefined)
      if (shape?.properties !== undefined) return this.#object(shape, value, field)
    }
    if (Array.isArray(value)) {
      const shape = branchesOf(schema).find((branch) => branch.type === 'array')
      if (shape !== undefined) return this.#array(shape, value, field)
    }
    const spelled = this.spell(schema, value)
    // A branch of the route's schema; `Shape` has only the members read here.
    if (!Value.Check(schema as TSchema, spelled) || !isWithinLimits(schema, spelled)) {
      this.#note(field, `Expected ${expected(schema)}, received ${received(spelled, field)}`)
    }
    return spelled
  }

  /** The declared spelling of an enum value, else the value itself. */
  spell(schema: Shape, value: unknown): unknown {
    if (typeof value !== 'string') return value
    const literals = literalsOf(schema)
    if (literals.includes(value)) return value
    const lower = value.toLowerCase()
    return literals.find((literal) => literal.toLowerCase() === lower) ?? value
  }

  note(fault: Fault): void {
    if (this.faults.length < faultsMax) this.faults.push(fault)
  }

  #note(field: string, message: string): void {
    this.note({ field: field === '' ? 'body' : field, message })
  }

  #noteText(text: string, field: string): void {
    const fault = textFault(text)
    if (fault !== null) this.#note(field, fault)
  }

  #object(shape: Shape, value: Record<string, unknown>, field: string): unknown {
    const { properties = {}, required = [] } = shape
    const names = Object.keys(properties)
    const spellings = new Map(names.map((name) => [name.toLowerCase(), name]))
    const result = emptyRecord<unknown>()
    const isSentBack =
      field === '' && Object.keys(value).some((sent) => spellings.has(sent.toLowerCase()))
    for (const [sent, member] of Object.entries(value)) {
      const name = spellings.get(sent.toLowerCase())
      if (name === undefined && isSentBack && this.#answered.has(sent.toLowerCase())) continue
      const at = within(field, name ?? sent.slice(0, 60))
      const schema = name === undefined ? undefined : properties[name]
      if (name === undefined || schema === undefined) {
        this.#note(at, `Is not known here; ${nearestName(sent, names)}`)
      } else if (name in result) this.#note(at, 'Is given twice')
      else result[name] = this.conform(schema, member, at)
    }
    for (const name of required) {
      const schema = properties[name]
      if (schema === undefined || name in result) continue
      this.#note(within(field, name), `Is missing; expected ${expected(schema)}`)
    }
    return result
  }

  #array(shape: Shape, value: readonly unknown[], field: string): unknown {
    const { items = {}, minItems = 0, maxItems = Number.POSITIVE_INFINITY } = shape
    if (value.length < minItems || value.length > maxItems) {
      this.#note(field, `Expected ${expected(shape)}, received ${value.length} entries`)
      return value
    }
    return value.map((item, index) => this.conform(items, item, within(field, String(index))))
  }
}
