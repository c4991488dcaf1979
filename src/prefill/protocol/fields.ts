import { isRecord } from '../../core/lib/record.ts'

/** A message does not have the form that the protocol prescribes. */
export class MessageError extends Error {}

/** Of a message, name, address or token; longer texts of daemons are neither stored nor sent on. */
const textCharsMax = 4000

/**
 * Reads the members of an object that another program sent. Missing and null members are alike;
 * members of another type are errors, so that no daemon is misread.
 */
export class Fields {
  readonly #members: Record<string, unknown>
  readonly #what: string

  /** `what`: for the error, which names no values. Throws MessageError. */
  constructor(value: unknown, what: string) {
    if (!isRecord(value)) throw new MessageError(`${what}: not an object`)
    this.#members = value
    this.#what = what
  }

  /** The member; null when missing. */
  any(name: string): unknown {
    return Object.hasOwn(this.#members, name) ? (this.#members[name] ?? null) : null
  }

  names(): string[] {
    return Object.keys(this.#members)
  }

  #refuse(name: string, expected: string): never {
    throw new MessageError(`${this.#what}: ${name} is not ${expected}`)
  }

  /** Cut to the limit. */
  text(name: string): string | null {
    const value = this.any(name)
    if (value === null) return null
    return typeof value === 'string' ? value.slice(0, textCharsMax) : this.#refuse(name, 'a text')
  }

  requiredText(name: string): string {
    return this.text(name) ?? this.#refuse(name, 'a text')
  }

  flag(name: string): boolean {
    const value = this.any(name)
    if (value === null) return false
    return typeof value === 'boolean' ? value : this.#refuse(name, 'true or false')
  }

  /** A whole number; 0 when missing. Fractions are cut off. */
  count(name: string): number {
    return Math.floor(this.amount(name))
  }

  /** Zero or more; 0 when missing. Sizes beyond 2^53 are cut to it. */
  amount(name: string): number {
    const value = this.any(name)
    if (value === null) return 0
    const number = typeof value === 'number' ? value : Number(readDigits(value))
    if (!(number >= 0)) return this.#refuse(name, 'a number')
    return Math.min(number, Number.MAX_SAFE_INTEGER)
  }

  /** An id, sent as text or as number; null when missing, empty or 0. */
  id(name: string): string | null {
    const value = this.any(name)
    if (value === null || value === '' || value === 0 || value === '0') return null
    return readId(value) ?? this.#refuse(name, 'an id')
  }

  requiredId(name: string): string {
    return this.id(name) ?? this.#refuse(name, 'an id')
  }

  /** The elements; none when missing. */
  list(name: string): unknown[] {
    const value = this.any(name)
    if (value === null) return []
    return Array.isArray(value) ? value : this.#refuse(name, 'a list')
  }
}

const idCharsMax = 200

/** An id as text: any text that is not empty, or a whole number; null for anything else. */
export function readId(value: unknown): string | null {
  if (typeof value === 'number')
    return Number.isSafeInteger(value) && value >= 0 ? `${value}` : null
  const isText = typeof value === 'string' && value !== '' && value.length <= idCharsMax
  return isText ? value : null
}

const readDigits = (value: unknown): string =>
  typeof value === 'string' && /^\d{1,20}$/.test(value) ? value : 'none'
