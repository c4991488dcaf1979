import { useMutation } from '@tanstack/react-query'
import { notifyError } from '../../../components/toast.tsx'
import { refusalText } from '../../../api/refusal-text.ts'
import type { Platform } from '../../../../platforms/platforms.ts'
import { readCacheStatus } from '../queries.ts'

const none: ReadonlySet<string> = new Set()

/** Games whose current version was prefilled; asked for on demand, because it can take minutes. */
export function useCacheStatus(platform: Platform, sessionId: string) {
  const mutation = useMutation({
    mutationFn: (ids: readonly string[]) => readCacheStatus(platform, sessionId, ids),
    onError: (error) => notifyError(refusalText(error)),
  })
  return {
    check: mutation.mutate,
    isBusy: mutation.isPending,
    upToDate: mutation.data === undefined ? none : new Set(mutation.data.upToDateAppIds),
  }
}
