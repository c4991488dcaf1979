import type { DatasourceFacts } from '../../api/cache-queries.ts'
import type { Key, Values } from '../../locales/translate.ts'

/** Why files of a cache cannot be touched, and what helps. */
export interface Gate {
  datasource: string
  title: Key
  remedy: Key
  values: Values
  /** The server's own words, where it knows more than the title says. */
  detail: string | null
}

type Facts = Pick<
  DatasourceFacts,
  'name' | 'cachePath' | 'canWriteCache' | 'cacheProblem' | 'denial'
>

const problems: Readonly<Record<string, { title: Key; remedy: Key }>> = {
  missing: { title: 'cache.gateMissing', remedy: 'cache.gateMissingFix' },
  unreadable: { title: 'cache.gateUnreadable', remedy: 'cache.gateUnreadableFix' },
  unresponsive: { title: 'cache.gateSilent', remedy: 'cache.gateSilentFix' },
}

/** What stands in the way of deleting anything; one reason for each cache. */
export function writeGates(all: readonly Facts[]): Gate[] {
  return all.flatMap(({ name, cachePath, canWriteCache, cacheProblem }) => {
    const values = { name, path: cachePath }
    const problem = problems[cacheProblem]
    if (problem !== undefined) return [{ datasource: name, ...problem, values, detail: null }]
    if (canWriteCache) return []
    const texts = { title: 'cache.gateReadOnly', remedy: 'cache.gateReadOnlyFix' } as const
    return [{ datasource: name, ...texts, values, detail: null }]
  })
}

/** What stands in the way of telling which file belongs to which game. */
export function keyGates(all: readonly Facts[]): Gate[] {
  return all.flatMap(({ name, cachePath, denial }) => {
    if (denial === null) return []
    const texts = { title: 'cache.gateKeys', remedy: 'cache.gateKeysFix' } as const
    return [{ datasource: name, ...texts, values: { name, path: cachePath }, detail: denial }]
  })
}
