import type { FileCount, UncountedFile, LineCountsOfSource } from './count-contract.ts'

/** Services in one result; the others are summed up. */
const servicesShown = 1000
const uncountedMax = 20
/** Services counted individually before the smallest are merged. */
const servicesHeld = 20_000

/** Total over the files of one datasource. */
export class SourceSum {
  readonly #datasource: string
  readonly #services = new Map<string, number>()
  readonly #uncounted: UncountedFile[] = []
  #otherLines = 0
  #unreadableLines = 0

  constructor(datasource: string) {
    this.#datasource = datasource
  }

  addUncounted(one: UncountedFile): void {
    if (this.#uncounted.length < uncountedMax) this.#uncounted.push(one)
  }

  add(file: string, count: FileCount): void {
    for (const [service, lines] of count.services) {
      const known = this.#services.get(service)
      if (known === undefined && this.#services.size >= servicesHeld) this.#otherLines += lines
      else this.#services.set(service, (known ?? 0) + lines)
    }
    this.#otherLines += count.otherLines
    this.#unreadableLines += count.unreadableLines
    if (count.problem !== null) this.addUncounted({ file, reason: count.problem })
  }

  result(): LineCountsOfSource {
    const all = [...this.#services].toSorted(([, a], [, b]) => b - a)
    const rest = all.slice(servicesShown).reduce((sum, [, lines]) => sum + lines, 0)
    return {
      datasource: this.#datasource,
      services: Object.fromEntries(all.slice(0, servicesShown)),
      otherLines: this.#otherLines + rest,
      unreadableLines: this.#unreadableLines,
      leftOut: this.#uncounted,
    }
  }
}
