import type { Core } from '../../../core/core.ts'
import { keep } from '../../../core/lib/kept.ts'
import type { AlphaWebApi, Probe } from './client.ts'

const keptMs = 15 * 60_000

/** How Steam's lists of all apps answered. */
export interface AnsweredLists {
  publicList: Probe
  /** The store's, with the stored key; null: not asked, because the public one works. */
  storeList: Probe | null
  hasKey: boolean
  /** One of them can be read. */
  isAvailable: boolean
  askedAt: Date
}

type Parts = Pick<Core, 'clock' | 'credentials'> & { webApi: AlphaWebApi }

/** The installation's Web API key; null without a readable one. */
export function webApiKey({ credentials }: Pick<Core, 'credentials'>): string | null {
  const kept = credentials.read('alpha.webApiKey')
  return kept.state === 'kept' ? kept.secret : null
}

/** Whether Steam's lists of all apps can be read; answers are kept for 15 minutes. */
export function createAppLists({ clock, credentials, webApi }: Parts) {
  let last: AnsweredLists | null = null

  async function ask(): Promise<AnsweredLists> {
    const key = webApiKey({ credentials })
    const hasKey = key !== null
    const publicList = await webApi.probePublicList()
    const isPublic = publicList === 'works'
    const storeList = isPublic ? null : await webApi.probeStoreList(key)
    const isAvailable = isPublic || (hasKey && storeList === 'works')
    return (last = { publicList, storeList, hasKey, isAvailable, askedAt: clock.now() })
  }

  /** `last`: the last answer, however old; null before the first one. */
  return { ...keep(clock, keptMs, ask), last: () => last }
}

export type AppLists = ReturnType<typeof createAppLists>
