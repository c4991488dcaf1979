import { useMutation } from '@tanstack/react-query'
import { notifyError } from '../../components/toast.tsx'
import { refusalText } from '../../api/refusal-text.ts'

/** Runs one step at a time; a refusal is shown as a message. */
export function useStep() {
  const mutation = useMutation({
    mutationFn: (step: () => Promise<unknown>) => step(),
    onError: (error: Error) => notifyError(refusalText(error)),
  })
  return { run: mutation.mutate, isBusy: mutation.isPending, error: mutation.error }
}
