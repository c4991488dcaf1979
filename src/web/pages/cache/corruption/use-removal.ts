import type { WhenAway } from '../../../../cache/away/away.ts'
import { api, unwrap, keys } from '../../../api/client.ts'
import { t } from '../../../locales/translate.ts'
import { useSave } from '../../../app/use-save.ts'
import type { Scan } from './queries.ts'

/** Ids are sent in the URL, whose length is limited. */
export const selectedMax = 300

interface Removal {
  /** Null for all findings. */
  service: string | null
  /** Empty for all of the service. */
  ids: readonly string[]
  after: () => void
  away?: { whenAway?: WhenAway }
}

/** Starts removing findings; the progress is among the operations. */
export function useRemoval({ id: scanId }: Scan) {
  const { save, isBusy } = useSave({ stale: [keys.operations] })
  const remove = ({ service, ids, after, away = {} }: Removal) => {
    const run = () =>
      service === null
        ? unwrap(api.cache.corruption.delete(undefined, { query: { scanId, ...away } }))
        : unwrap(
            api.cache.services({ name: service }).corruption.delete(undefined, {
              query: {
                scanId,
                ...away,
                ...(ids.length === 0 ? {} : { candidateIds: ids.join(',') }),
              },
            }),
          )
    save({ run, done: t('corruption.removalStarted'), after })
  }
  return { remove, isBusy }
}
