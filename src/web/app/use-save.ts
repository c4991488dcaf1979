import { useMutation, useQueryClient } from '@tanstack/react-query'
import { notifyError, notify } from '../components/toast.tsx'
import { t } from '../locales/translate.ts'
import { refusalText } from '../api/refusal-text.ts'

interface SaveOptions {
  /** Queries that become stale. */
  stale: readonly (readonly string[])[]
  /** The page shows `error` itself, instead of a toast. */
  showsError?: boolean
}

interface Step {
  run: () => Promise<unknown>
  /** Toast on success. */
  done?: string | undefined
  /** Reverts the change. */
  undo?: (() => Promise<unknown>) | undefined
  /** Called on success, before queries are refetched. */
  after?: (() => void) | undefined
}

/** Saves immediately, then shows a toast with undo, or the refusal. */
export function useSave({ stale, showsError = false }: SaveOptions) {
  const queries = useQueryClient()
  const refresh = () =>
    Promise.all(stale.map((queryKey) => queries.invalidateQueries({ queryKey })))
  const fail = (error: Error) => notifyError(refusalText(error))
  const mutation = useMutation({
    mutationFn: ({ run }: Step) => run(),
    onSuccess: (_, { done, undo, after }) => {
      after?.()
      const back =
        undo === undefined
          ? null
          : () =>
              void undo()
                .catch(fail)
                .finally(() => void refresh())
      if (done !== undefined) notify(done, back)
    },
    onError: (error) => showsError || fail(error),
    onSettled: refresh,
  })
  const save = mutation.mutate
  /** Saves a value; undo saves the previous one. */
  const change = <T>(
    set: (value: T) => Promise<unknown>,
    [value, before]: [T, T],
    done = t('prefs.saved'),
  ) => save({ run: () => set(value), done, undo: () => set(before) })
  return { save, change, isBusy: mutation.isPending, error: mutation.error }
}

export type Saving = ReturnType<typeof useSave>
