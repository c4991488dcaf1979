import type { CacheParts } from '../parts.ts'
import type { Detection } from '../detection/detection.ts'
import type { Found } from '../detection/group.ts'
import { AppError } from '../../core/http/errors.ts'
import {
  applyHandNames,
  forgetHandName,
  gameKey,
  keepHandName,
  readHandNames,
  resetTitle,
} from '../../catalogue/contract.ts'
import type { UnnamedTitle } from './model.ts'

/** Unnamed titles in one answer, largest first. */
const unnamedMax = 1000
/** Paths of one game per answer. */
const pathsMax = 1000

const isUnknown = ({ identity }: Found): boolean =>
  identity.kind === 'service' || (identity.kind === 'alpha' && identity.isUnknown)

export type GameNames = ReturnType<typeof createGameNames>

/** Names given by hand to titles that no catalogue knows, and the files of games. */
export function createGameNames(deps: CacheParts, detection: Detection) {
  const { cache, state, history, clock, hub } = deps
  return {
    /** Titles in the cache that no catalogue knows, and those named by hand. */
    async unnamed(): Promise<UnnamedTitle[]> {
      const named = new Map(readHandNames(state).map((row) => [row.titleKey, row.gameName]))
      const { games, services } = await detection.read({ hasDetails: false })
      const unknown = [...services, ...games].filter(isUnknown).flatMap((found) => found.titleKeys)
      const keys = new Set([...unknown, ...named.keys()])
      keys.delete('')
      return (await cache.contents())
        .filter(({ titleKey, files }) => files > 0 && keys.has(titleKey))
        .sort((a, b) => b.bytes - a.bytes)
        .slice(0, unnamedMax)
        .map(({ titleKey, service, datasource, files, bytes, sampleUris }) => {
          const gameName = named.get(titleKey) ?? null
          const isNamedByHand = gameName !== null
          const facts = { files, bytes, sampleUris }
          return { titleKey, service, datasource, gameName, isNamedByHand, ...facts }
        })
    },

    /** Names a title in the cache, or removes the name (null). Throws `notFound`, `invalid`. */
    async giveName(titleKey: string, text: string | null) {
      const contents = await cache.contents()
      const content = contents.find((entry) => entry.titleKey === titleKey)
      if (content === undefined) throw new AppError('notFound', 'Title not found in the cache')
      const { service } = content
      const gameName = text?.trim() ?? ''
      if (gameName === '') {
        await history.read((_db, sql) => resetTitle(sql, titleKey, service))
        forgetHandName(state, titleKey)
      } else {
        const name = { titleKey, service, gameName, namedAt: clock.now() }
        if (!keepHandName(state, name)) throw new AppError('invalid', 'There are too many names')
        await history.read((_db, sql) => applyHandNames(state, sql))
      }
      hub.publish('DownloadsRefresh', { reason: 'title-named' })
      return { titleKey, gameName: gameName === '' ? null : gameName }
    },

    /** Paths of a game's or service's files, by `gameKey`. Throws `notFound`. */
    async files(key: string) {
      const { games, services } = await detection.read({ hasDetails: false })
      const found = [...games, ...services].find(({ identity }) => gameKey(identity) === key)
      if (found === undefined) throw new AppError('notFound', 'Game not found in the cache')
      const paths = await cache.paths(found.contentIds, pathsMax)
      return { paths, totalFiles: found.files }
    },
  }
}
