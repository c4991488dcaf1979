import type { CatalogueParts } from '../parts.ts'
import { webApiKey } from './alpha-access.ts'

const keptMs = 15 * 60_000

type Parts = Pick<CatalogueParts, 'alpha' | 'clock' | 'credentials'>

/** Whether a full crawl can get the list of all apps; answers are kept for 15 minutes. */
export function createAppListCheck(parts: Parts) {
  const { alpha, clock } = parts
  let kept: { atMs: number; key: string | null; isAvailable: boolean } | null = null
  let asking: Promise<boolean> | null = null

  async function ask(key: string | null): Promise<boolean> {
    const works =
      (await alpha.webApi.probePublicList()) === 'works' ||
      (key !== null && (await alpha.webApi.probeStoreList(key)) === 'works')
    kept = { atMs: clock.elapsedMs(), key, isAvailable: works }
    return works
  }

  return {
    /** The last answer, however old; false before the first one. */
    known: () => kept?.isAvailable ?? false,
    async read(): Promise<boolean> {
      const key = webApiKey(parts)
      const isFresh = kept?.key === key && clock.elapsedMs() - kept.atMs < keptMs
      if (isFresh && kept !== null) return kept.isAvailable
      return (asking ??= ask(key).finally(() => (asking = null)))
    },
  }
}

export type AppListCheck = ReturnType<typeof createAppListCheck>
