import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { ClientGroup } from '../../../api/client-queries.ts'
import { keys } from '../../../api/client.ts'
import { notifyError, notify } from '../../../components/toast.tsx'
import { t } from '../../../locales/translate.ts'
import { refusalText } from '../../../api/refusal-text.ts'
import { draftOf, type Draft } from '../../../app/clients/draft.ts'
import {
  createGroup,
  currentGroup,
  deleteGroup,
  refusedIps,
  saveGroup,
  type Saved,
} from '../../../app/clients/save-group.ts'

const stale = [keys.clientGroups, ...keys.reports]

interface GroupSave {
  onSaved: (saved: Saved) => void
  onRejected: (ips: string[]) => void
  onGone: () => void
}

/** Creates, changes and deletes groups, each with a toast and undo. */
export function useGroupSave({ onSaved, onRejected, onGone }: GroupSave) {
  const queries = useQueryClient()
  const refresh = () =>
    Promise.all(stale.map((queryKey) => queries.invalidateQueries({ queryKey })))
  const sayWithUndo = (text: string, undo: () => Promise<unknown>) =>
    notify(text, () => {
      void undo()
        .catch((error: Error) => notifyError(refusalText(error)))
        .finally(() => void refresh())
    })
  const save = useMutation({
    mutationFn: ({ base, draft }: { base: ClientGroup | null; draft: Draft }) =>
      base === null ? createGroup(draft) : saveGroup(base, draft),
    onSuccess: (saved, { base }) => {
      const { group, rejectedIps } = saved
      const name = group.nickname
      if (base === null) sayWithUndo(t('group.created', { name }), () => deleteGroup(group))
      else sayWithUndo(t('group.saved', { name }), () => saveGroup(group, draftOf(base)))
      onRejected(rejectedIps)
      onSaved(saved)
    },
    onError: (error) => {
      onRejected(refusedIps(error))
    },
    onSettled: refresh,
  })
  const remove = useMutation({
    mutationFn: deleteGroup,
    onSuccess: (_, group) => {
      const { nickname: name } = group
      sayWithUndo(t('group.deleted', { name }), () => createGroup(draftOf(group)))
      onGone()
    },
    onError: (error: Error) => notifyError(refusalText(error)),
    onSettled: refresh,
  })
  const refused = currentGroup(save.error)
  const isKnown = refused !== null || refusedIps(save.error).length > 0
  return {
    save: save.mutate,
    remove: remove.mutate,
    /** The group's current state, after a save was refused because of a concurrent change. */
    refused,
    isBusy: save.isPending || remove.isPending,
    problem: save.error === null || isKnown ? null : refusalText(save.error),
  }
}
