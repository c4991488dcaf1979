import { api, unwrap } from '../../api/eden.ts'
import { keys } from '../../api/keys.ts'
import { t } from '../../locales/translate.ts'
import { useSave } from '../settings/use-save.ts'
import type { Scan } from './queries.ts'

/** Ids go with the address of a request, which may only be so long. */
export const selectedMax = 300

interface Removal {
  /** Null: everything that the scan found. */
  service: string | null
  /** Empty: all of the service. */
  ids: readonly string[]
  after: () => void
}

/** Starts the removal of what a scan found; its progress stands among the operations. */
export function useRemoval({ id: scanId }: Scan) {
  const { save, isBusy } = useSave({ stale: [keys.operations] })
  const remove = ({ service, ids, after }: Removal) => {
    const run = () =>
      service === null
        ? unwrap(api.cache.corruption.delete(undefined, { query: { scanId } }))
        : unwrap(
            api.cache.services({ name: service }).corruption.delete(undefined, {
              query: { scanId, ...(ids.length === 0 ? {} : { candidateIds: ids.join(',') }) },
            }),
          )
    save({ run, done: t('corruption.removalStarted'), after })
  }
  return { remove, isBusy }
}
