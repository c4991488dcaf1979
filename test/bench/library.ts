import { mkdirSync } from 'node:fs'
import type { Platform } from '../../src/platforms/platforms.ts'
import { memoryOf } from '../lab/processes.ts'
import { openSite, sites } from './prefill.ts'

/** Games of a large library. */
const titleCount = 5000
const memoryPollMs = 50
/** Of each step. */
const limitMs = 30 * 60_000

export interface LibraryTimed {
  platform: Platform
  /** Until all games are listed; until all sizes are known; until everything is downloaded. */
  seconds: { list: number; sizes: number; run: number }
  peakBytes: number
}

/**
 * Daemons of platforms with accounts on a library of thousands of games: they list it, calculate the
 * size of each game, and download all of them.
 */
export async function timeLibraries(root: string, only: string): Promise<LibraryTimed[]> {
  mkdirSync(root, { recursive: true })
  const timed: LibraryTimed[] = []
  for (const make of sites) {
    if (!make.name.startsWith(only)) continue
    const site = make()
    const appIds = site.addTitles?.(titleCount)
    if (appIds === undefined) continue
    const { client, pid, close } = await openSite(site, root)
    let peakBytes = 0
    const timer = setInterval(
      () => (peakBytes = Math.max(peakBytes, memoryOf([pid]))),
      memoryPollMs,
    )
    async function took(work: () => Promise<number>): Promise<number> {
      const startMs = performance.now()
      const count = await work()
      if (count < titleCount) throw new Error(`${site.platform}: only ${count} games`)
      return (performance.now() - startMs) / 1000
    }
    const list = await took(async () => {
      const { data } = await client.ask('get-owned-games', {}, limitMs)
      return (data as unknown[]).length
    })
    await client.ask('set-selected-apps', { appIds })
    const sizes = await took(async () => {
      const { data } = await client.ask('get-selected-apps-status', {}, limitMs)
      const { apps } = data as { apps: { downloadSize: number }[] }
      return apps.filter(({ downloadSize }) => downloadSize > 0).length
    })
    const run = await took(async () => {
      await client.ask('prefill')
      return (await client.ended(1, limitMs)).updatedApps
    })
    clearInterval(timer)
    await close()
    timed.push({ platform: site.platform, seconds: { list, sizes, run }, peakBytes })
  }
  return timed
}
