/** Writes docs/settings.md: every environment variable that the service and its prefill daemons read. */
import { readConfig } from '../src/core/config.ts'
import { environmentVariables, type VariableName } from '../src/core/lib/environment-variables.ts'
import { platformFacts, platformNames } from '../src/platforms/platforms.ts'
import { SettingsReader, type Environment } from '../src/core/lib/settings-reader.ts'
import { readDaemonSettings } from '../src/prefill/daemon/settings.ts'

interface Fact {
  fallback: string
  accepted: string
}

const code = (text: string | number | boolean) => `\`${text}\``

/** The name under which a variable is listed. */
const listedName = (name: string) =>
  name
    .replace(/__\d+__/, '__<n>__')
    .replace(new RegExp(`^Prefill__(${platformNames.join('|')})`), 'Prefill__<Platform>')

/** Notes what is asked of it. */
class SettingsRecorder extends SettingsReader {
  readonly facts: Map<string, Fact>

  constructor(environment: Environment, facts: Map<string, Fact>) {
    super(environment)
    this.facts = facts
  }

  #note(name: VariableName, fallback: string, accepted: string): void {
    const listed = listedName(name)
    if (!this.facts.has(listed)) this.facts.set(listed, { fallback, accepted })
  }

  override text(name: VariableName) {
    this.#note(name, '', 'text')
    return super.text(name)
  }
  override url(name: VariableName, fallback: string) {
    this.#note(name, code(fallback), 'an http or https address')
    return super.url(name, fallback)
  }
  override optionalUrl(name: VariableName) {
    this.#note(name, '', 'an http or https address')
    return super.optionalUrl(name)
  }
  override secret(name: VariableName) {
    this.#note(name, '', `text, or a file named by ${code(`${listedName(name)}_FILE`)}`)
    return super.secret(name)
  }
  override flag(name: VariableName, fallback: boolean) {
    this.#note(name, code(fallback), '`true` or `false`')
    return super.flag(name, fallback)
  }
  override integer(name: VariableName, fallback: number, range: { min: number; max: number }) {
    this.#note(name, code(fallback), `a whole number from ${range.min} to ${range.max}`)
    return super.integer(name, fallback, range)
  }
  override optionalInteger(name: VariableName, range: { min: number; max: number }) {
    this.#note(name, '', `a whole number from ${range.min} to ${range.max}`)
    return super.optionalInteger(name, range)
  }
  override choice<const T extends string>(name: VariableName, allowed: readonly T[], fallback: T) {
    this.#note(name, code(fallback), allowed.map(code).join(', '))
    return super.choice(name, allowed, fallback)
  }
  override optionalChoice<const T extends string>(name: VariableName, allowed: readonly T[]) {
    this.#note(name, '', allowed.map(code).join(', '))
    return super.optionalChoice(name, allowed)
  }
  override matching(name: VariableName, rule: { pattern: RegExp; allowed: string }) {
    this.#note(name, '', rule.allowed)
    return super.matching(name, rule)
  }
  override list(name: VariableName) {
    this.#note(name, '', 'a list, separated by commas')
    return super.list(name)
  }
}

/** What is read: as with one cache, as with a list of caches, and by a prefill daemon on either transport. */
function recordedFacts(): Map<string, Fact> {
  const facts = new Map<string, Fact>()
  const record = (environment: Environment) => new SettingsRecorder(environment, facts)
  readConfig({}, record({}))
  const cache = 'LanCache__DataSources__0__'
  const list = {
    [`${cache}Name`]: 'a',
    [`${cache}LogPath`]: '/larder/logs',
    [`${cache}CachePath`]: '/larder/cache',
  }
  readConfig(list, record(list))
  readDaemonSettings({}, 'gamma', record({}))
  const tcp = { PREFILL_TCP_PORT: '1', PREFILL_SOCKET_SECRET: 'a' }
  readDaemonSettings(tcp, 'gamma', record(tcp))
  return facts
}

function table(rows: string[][]): string {
  const cells = [['Variable', 'Meaning', 'Default', 'Accepted'], ...rows]
  const widths = [0, 1, 2, 3].map((at) => Math.max(...cells.map((row) => row[at]?.length ?? 0)))
  const line = (row: string[]) =>
    `| ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`
  const [head = [], ...body] = cells
  const rule = line(widths.map((width) => '-'.repeat(width)))
  return [line(head), rule, ...body.map(line)].join('\n')
}

/** The text of docs/settings.md. Throws for a variable that is listed and never read. */
export function settingsDocument(): string {
  const facts = recordedFacts()
  const sections = Object.entries(environmentVariables).map(([title, variables]) => {
    const rows = Object.entries(variables).map(([name, meaning]) => {
      const fact = facts.get(name)
      if (fact === undefined) throw new Error(`${name} is listed, but nothing reads it`)
      const { is, unset } = typeof meaning === 'string' ? { is: meaning, unset: '' } : meaning
      const fallback = [fact.fallback, unset].filter((text) => text !== '').join(', ')
      return [code(name), is, fallback, fact.accepted]
    })
    return `## ${title}\n\n${table(rows)}\n`
  })
  const names = Object.values(platformFacts).map(({ name, title }) => `\`${name}\` (${title})`)
  return `# Settings

The environment variables of the service, written by \`bun run generate:settings\` from
\`src/core/lib/environment-variables.ts\` and the code that reads them. Two underscores stand for nesting;
upper and lower case matter. A wrong value stops the start with one line that names the variable, the value
and what is accepted; names that nothing reads, such as misspelt ones, are in the log of the start.

\`<n>\` is a number from 0, and \`<Platform>\` is ${names.slice(0, 3).join(', ')},
${names.slice(3, -1).join(', ')} or ${names.at(-1)}.

Addresses of services on the internet can point to a proxy or a mirror. Their certificates are checked
against those that the runtime trusts; \`NODE_EXTRA_CA_CERTS\` adds a file with further ones.

${sections.join('\n')}`
}

if (import.meta.main) await Bun.write('docs/settings.md', settingsDocument())
