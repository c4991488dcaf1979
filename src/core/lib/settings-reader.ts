import { readFileSync } from 'node:fs'
import type { VariableName } from './environment-variables.ts'

/** A wrong value in the environment. Its message is the one line that an operator sees. */
export class SettingError extends Error {}

export type Environment = Readonly<Record<string, string | undefined>>

const sectionOf = (name: string) => name.toLowerCase().split('__', 1)[0]

/**
 * Reads typed settings from the listed environment variables. Names keep the double underscore form
 * (`Section__Key`); every secret may come from a file named by `<NAME>_FILE`.
 */
export class SettingsReader {
  readonly environment: Environment
  readonly #asked = new Set<string>()

  constructor(environment: Environment) {
    this.environment = environment
  }

  #raw(name: string): string | undefined {
    this.#asked.add(name)
    const value = this.environment[name]
    return value === undefined || value.trim() === '' ? undefined : value.trim()
  }

  #refuse(name: string, value: string, allowed: string): never {
    throw new SettingError(`${name}: ${JSON.stringify(value)} is not valid; allowed: ${allowed}`)
  }

  text(name: VariableName): string | null {
    return this.#raw(name) ?? null
  }

  /** Value of `name`, or the first line of the file that `name_FILE` points to. */
  secret(name: VariableName): string | null {
    const path = this.#raw(`${name}_FILE`)
    if (path === undefined) return this.#raw(name) ?? null
    if (this.#raw(name) !== undefined) {
      throw new SettingError(`${name}: set either ${name} or ${name}_FILE, not both`)
    }
    try {
      return readFileSync(path, 'utf8').split(/\r?\n/, 1)[0] ?? ''
    } catch (cause) {
      throw new SettingError(`${name}_FILE: cannot read ${JSON.stringify(path)}`, { cause })
    }
  }

  /** Base URL of a service: http or https, with an optional path; without a trailing slash. */
  url(name: VariableName, fallback: string): string {
    return this.#webAddress(name, this.#raw(name) ?? fallback)
  }

  /** The same without a default. */
  optionalUrl(name: VariableName): string | null {
    const value = this.#raw(name)
    return value === undefined ? null : this.#webAddress(name, value)
  }

  #webAddress(name: string, value: string): string {
    const url = URL.parse(value)
    const isWeb = url?.protocol === 'http:' || url?.protocol === 'https:'
    if (url === null || !isWeb || `${url.username}${url.password}${url.search}${url.hash}` !== '') {
      throw new SettingError(`${name}: is not valid; allowed: an http or https address`)
    }
    return url.href.replace(/\/+$/, '')
  }

  flag(name: VariableName, fallback: boolean): boolean {
    const value = this.#raw(name)
    if (value === undefined) return fallback
    if (/^(true|1|yes|on)$/i.test(value)) return true
    if (/^(false|0|no|off)$/i.test(value)) return false
    return this.#refuse(name, value, 'true or false')
  }

  integer(name: VariableName, fallback: number, range: { min: number; max: number }): number {
    return this.optionalInteger(name, range) ?? fallback
  }

  optionalInteger(name: VariableName, { min, max }: { min: number; max: number }): number | null {
    const value = this.#raw(name)
    if (value === undefined) return null
    const number = Number(value)
    if (!/^-?\d+$/.test(value) || number < min || number > max) {
      this.#refuse(name, value, `a whole number from ${min} to ${max}`)
    }
    return number
  }

  choice<const T extends string>(name: VariableName, allowed: readonly T[], fallback: T): T {
    return this.optionalChoice(name, allowed) ?? fallback
  }

  optionalChoice<const T extends string>(name: VariableName, allowed: readonly T[]): T | null {
    const value = this.#raw(name)
    if (value === undefined) return null
    const found = allowed.find((choice) => choice === value.toLowerCase())
    return found ?? this.#refuse(name, value, allowed.join(', '))
  }

  matching(name: VariableName, rule: { pattern: RegExp; allowed: string }): string | null {
    const value = this.#raw(name)
    if (value === undefined) return null
    return rule.pattern.test(value) ? value : this.#refuse(name, value, rule.allowed)
  }

  list(name: VariableName): string[] {
    return (this.#raw(name) ?? '')
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '')
  }

  /** Indexes n for which any variable `prefix__n__…` exists, ascending. */
  indexes(prefix: string): number[] {
    const found = new Set<number>()
    for (const name of Object.keys(this.environment)) {
      if (!name.startsWith(`${prefix}__`)) continue
      const index = name.slice(prefix.length + 2).split('__', 1)[0] ?? ''
      if (/^\d{1,3}$/.test(index)) found.add(Number(index))
    }
    return [...found].sort((a, b) => a - b)
  }

  /** Variables of the sections read so far that were not asked for: nothing depends on them. */
  unused(): string[] {
    const sections = new Set([...this.#asked].filter((name) => name.includes('__')).map(sectionOf))
    return Object.keys(this.environment)
      .filter((name) => name.includes('__') && sections.has(sectionOf(name)))
      .filter((name) => !this.#asked.has(name))
      .sort()
  }
}
