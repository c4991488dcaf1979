/** Writes docs/settings.md: every environment variable that `src/core/config.ts` reads. */
import { readConfig } from '../src/core/config.ts'
import { SettingsReader } from '../src/core/lib/settings-reader.ts'

interface Row {
  name: string
  fallback: string
  accepted: string
}

const code = (text: string | number | boolean) => `\`${text}\``

/** Notes what is asked of it, in the order of the names, and answers as without an environment. */
class SettingsRecorder extends SettingsReader {
  readonly rows = new Map<string, Row>()

  constructor() {
    super({})
  }

  #note(name: string, fallback: string, accepted: string): void {
    if (!this.rows.has(name)) this.rows.set(name, { name, fallback, accepted })
  }

  override text(name: string) {
    this.#note(name, '', 'text')
    return super.text(name)
  }
  override url(name: string, fallback: string) {
    this.#note(name, code(fallback), 'an http or https address')
    return super.url(name, fallback)
  }
  override optionalUrl(name: string) {
    this.#note(name, '', 'an http or https address')
    return super.optionalUrl(name)
  }
  override secret(name: string) {
    this.#note(name, '', `text, or a file named by ${code(`${name}_FILE`)}`)
    return super.secret(name)
  }
  override flag(name: string, fallback: boolean) {
    this.#note(name, code(fallback), '`true` or `false`')
    return super.flag(name, fallback)
  }
  override integer(name: string, fallback: number, range: { min: number; max: number }) {
    this.#note(name, code(fallback), `a whole number from ${range.min} to ${range.max}`)
    return super.integer(name, fallback, range)
  }
  override optionalInteger(name: string, range: { min: number; max: number }) {
    this.#note(name, '', `a whole number from ${range.min} to ${range.max}`)
    return super.optionalInteger(name, range)
  }
  override choice<const T extends string>(name: string, allowed: readonly T[], fallback: T) {
    this.#note(name, code(fallback), allowed.map(code).join(', '))
    return super.choice(name, allowed, fallback)
  }
  override optionalChoice<const T extends string>(name: string, allowed: readonly T[]) {
    this.#note(name, '', allowed.map(code).join(', '))
    return super.optionalChoice(name, allowed)
  }
  override matching(name: string, rule: { pattern: RegExp; allowed: string }) {
    this.#note(name, '', rule.allowed)
    return super.matching(name, rule)
  }
  override list(name: string) {
    this.#note(name, '', 'a list, separated by commas')
    return super.list(name)
  }
}

function table(rows: Row[]): string {
  const cells = [['Variable', 'Default', 'Accepted']].concat(
    rows.map(({ name, fallback, accepted }) => [code(name), fallback, accepted]),
  )
  const widths = [0, 1, 2].map((at) => Math.max(...cells.map((row) => row[at]?.length ?? 0)))
  const line = (row: string[]) =>
    `| ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`
  const [head = [], ...body] = cells
  const rule = line(widths.map((width) => '-'.repeat(width)))
  return [line(head), rule, ...body.map(line)].join('\n')
}

/** The text of docs/settings.md. */
export function settingsDocument(): string {
  const recorder = new SettingsRecorder()
  readConfig({}, recorder)
  const rows = [...recorder.rows.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
  return `# Settings

Every environment variable that the service reads, written from \`src/core/config.ts\` by
\`bun run generate:settings\`. What each is for is in the README, "Configure". The default is empty where
there is none, or where it depends on the machine. Several caches have
\`LanCache__DataSources__<n>__Name\`, \`__LogPath\`, \`__CachePath\`, \`__Enabled\`, \`__SchemeOverride\` and
\`__SliceSize\`.

Addresses of services on the internet can point to a proxy or a mirror. Their certificates are checked
against those that the runtime trusts; \`NODE_EXTRA_CA_CERTS\` adds a file with further ones.

${table(rows)}
`
}

if (import.meta.main) await Bun.write('docs/settings.md', settingsDocument())
