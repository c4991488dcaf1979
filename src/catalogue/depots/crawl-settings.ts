import { AppError } from '../../core/http/errors.ts'
import { intervalHoursOf } from '../interval-hours.ts'
import type { CatalogueParts } from '../parts.ts'
import type { Depots } from './create.ts'
import type { CrawlMode } from './model.ts'

/** Modes as the API spells them. */
export const wireModes = { github: 'github', incremental: true, full: false } as const

type Mode = keyof typeof wireModes

function modeOf(value: unknown): Mode {
  if (value === true) return 'incremental'
  if (value === false) return 'full'
  if (value === 'github') return 'github'
  throw new AppError('invalid', 'The mode is true (incremental), false (full) or "github"')
}

function refuse(stageKey: string, text: string): never {
  throw new AppError('invalid', text, { extra: { stageKey: `errors.depotMapping.${stageKey}` } })
}

/** Stores the hours between two crawls; throws `invalid`. */
export function storeInterval(
  { settings }: Pick<CatalogueParts, 'settings'>,
  value: unknown,
): number {
  const hours = intervalHoursOf(value)
  settings.set('depots.crawlIntervalHours', hours)
  return hours
}

/** Interval and mode of scheduled runs. */
export function createDepotSettings(
  { alpha, settings }: Pick<CatalogueParts, 'alpha' | 'settings'>,
  depots: Depots,
) {
  async function requirePossible(mode: Mode): Promise<void> {
    if (!settings.get('setup.isCompleted')) refuse('setupIncomplete', 'Finish the set-up first')
    if (mode === 'incremental' && !(await depots.hasMappings())) {
      refuse('noMappings', 'An incremental crawl needs mappings: import a list or run a full crawl')
    }
    if (mode === 'full' && !(await alpha.lists.read()).isAvailable) {
      refuse('noAppList', 'A full crawl needs the list of all Steam apps: add a Web API key')
    }
  }

  return {
    setInterval(value: unknown) {
      const hours = storeInterval({ settings }, value)
      const message = hours === 0 ? 'No crawl starts by itself' : `A crawl starts every ${hours} h`
      return { message, intervalHours: Math.round(hours) }
    },

    async setMode(value: unknown): Promise<{ incrementalMode: CrawlMode; message: string }> {
      const mode = modeOf(value)
      await requirePossible(mode)
      settings.set('depots.crawlMode', mode)
      return { incrementalMode: wireModes[mode], message: 'The mode was stored' }
    },
  }
}
