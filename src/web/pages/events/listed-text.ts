import type { eventDownloadsMax } from '../../../downloads/events/service.ts'
import { countText } from '../../format/numbers.ts'
import { t, tn } from '../../locales/translate.ts'

/** The compiler compares it with what the service answers at most. */
const listedMax: typeof eventDownloadsMax = 1000

/** How many downloads of an event are listed; of many only the newest are. */
export const listedText = (count: number): string =>
  count < listedMax
    ? tn('count.downloads', count)
    : t('events.newestOnly', { count: countText(count) })
