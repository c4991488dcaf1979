/*
 * Xbox' engine (`epsilon/`) signs in with a device code. It asks the same services as the
 * catalogue (`engines/epsilon-connection`), but with a token of its own: Microsoft replaces a
 * refresh token with every use. Renewals never overlap and are not cancelled, and a new token is
 * stored before it is used, so that a killed process loses no sign-in. The token lies in the
 * daemon's folder, readable for its user only; a refused one is deleted, one that could not be
 * checked stays. Files are requested in ranges of one megabyte, which are the slices of the cache.
 * Without a list of popular games, `top` means the titles that were played last, not the whole
 * library: a page that has moved must not fill the disk.
 */
import { createEpsilonLibrary } from '../../../engines/epsilon-connection/library.ts'
import { createEpsilonTokens } from '../../../engines/epsilon-connection/tokens.ts'
import { createOutside } from '../../../core/lib/outside.ts'
import { daemonFacts } from '../../../platforms/service-facts.ts'
import { listedGame, type Engine } from '../engine.ts'
import type { DaemonSettings } from '../settings.ts'
import { createEpsilonAccount } from './account.ts'
import { filesOf, slicesOf } from './files.ts'
import { cdnInfoOf, createReleases, versionsOf } from './releases.ts'
import { createTitles } from './titles.ts'

const userAgent = 'Microsoft.Xbox.GameStreaming/10.0'
/** Requests at the same time. */
const parallel = 30
/** Requests to one service: a look at a game takes two, and a library has hundreds. */
const pace = { gapMs: 100, parallel: 2 }

/** The engine of Xbox. */
export function createEpsilonEngine({
  epsilon,
  configPath,
}: Pick<DaemonSettings, 'epsilon' | 'configPath'>): Engine {
  const outside = createOutside(pace)
  const library = createEpsilonLibrary(outside, epsilon)
  const web = createEpsilonTokens(outside, epsilon)
  const account = createEpsilonAccount({ web, library }, configPath)
  const { storeBaseUrl } = epsilon
  const titles = createTitles({ outside, library, account, storeBaseUrl })
  const releases = createReleases({ library, account, nameOf: (id) => titles.nameOf(id) })

  return {
    wire: daemonFacts('epsilon'),
    login: account,
    userAgent,
    parallel,
    bypassesCache: false,
    games: async (signal) =>
      (await titles.list(signal)).map(({ productId, title }) => listedGame(productId, title)),
    choose: (filter, signal) => titles.choose(filter, signal),
    async version(productId, signal) {
      const release = await releases.current(productId, signal)
      return { name: release.name, versions: versionsOf(release) }
    },
    async plan(productId, { signal }) {
      const { name, packages } = await releases.latest(productId, signal)
      const { files, totalBytes } = filesOf(packages)
      const reason = `Xbox has no package of ${name} to download`
      const unavailable = totalBytes > 0 ? null : { isUnsupportedOs: false, reason }
      return { totalBytes, objects: slicesOf(files), depots: [], unavailable }
    },
    async cdnInfo(appIds, signal) {
      const listed = appIds.length > 0 ? [] : await titles.list(signal)
      const ids = [...appIds, ...listed.map(({ productId }) => productId)]
      return cdnInfoOf(releases, ids, signal)
    },
  }
}
