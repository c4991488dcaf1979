import { serviceName, titleOf } from '../../../format/services.ts'
import { t } from '../../../locales/translate.ts'
import type { Entry, Titles } from './entries.ts'

/** An entry's display name. */
export function titleOfEntry(entry: Pick<Entry, 'kind' | 'name' | 'unnamedDepot'>): string {
  if (entry.kind === 'service') return serviceName(entry.name)
  if (entry.unnamedDepot === null) return titleOf(entry.name)
  return t('game.depot', { id: entry.unnamedDepot })
}

export const shownTitles: Titles = { ofEntry: titleOfEntry, ofService: serviceName }
