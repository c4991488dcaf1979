import type { DatasourceFacts } from '../../api/cache-queries.ts'
import type { Key, Values } from '../../locales/translate.ts'

/** Why files of a cache cannot be deleted, and the remedy. */
export interface Gate {
  datasource: string
  title: Key
  remedy: Key
  values: Values
}

/** A cache that is only to be watched may be read-only. */
export const isHarmless = ({ title }: Gate): boolean => title === 'cache.gateReadOnly'

type Facts = Pick<
  DatasourceFacts,
  'name' | 'cachePath' | 'canWriteCache' | 'cacheProblem' | 'denial' | 'scheme'
>

/** Blocks everything: there is no cache. */
export const noCache: Gate = {
  datasource: '',
  title: 'cache.gateNone',
  remedy: 'remedy.noCache',
  values: {},
}

const problems: Readonly<Record<string, { title: Key; remedy: Key }>> = {
  missing: { title: 'cache.gateMissing', remedy: 'cache.gateMissingFix' },
  unreadable: { title: 'cache.gateUnreadable', remedy: 'cache.gateUnreadableFix' },
  unresponsive: { title: 'cache.gateSilent', remedy: 'cache.gateSilentFix' },
}

/** What blocks any deletion; one reason per cache. */
export function writeGates(all: readonly Facts[]): Gate[] {
  return all.flatMap(({ name, cachePath, canWriteCache, cacheProblem }) => {
    const values = { name, path: cachePath }
    const problem = problems[cacheProblem]
    if (problem !== undefined) return [{ datasource: name, ...problem, values }]
    if (canWriteCache) return []
    const texts = { title: 'cache.gateReadOnly', remedy: 'cache.gateReadOnlyFix' } as const
    return [{ datasource: name, ...texts, values }]
  })
}

/** What blocks assigning files to games. */
export function keyGates(all: readonly Facts[]): Gate[] {
  return all.flatMap(({ name, cachePath, denial, scheme }) => {
    if (denial === null) return []
    const remedy = scheme === 'mixed' ? 'cache.gateKeysMixed' : 'cache.gateKeysFix'
    return [
      { datasource: name, title: 'cache.gateKeys', remedy, values: { name, path: cachePath } },
    ]
  })
}
