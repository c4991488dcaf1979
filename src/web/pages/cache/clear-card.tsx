import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useCacheSize, useDeleteMode, type DeleteMode } from '../../api/cache-queries.ts'
import { api, unwrap } from '../../api/eden.ts'
import { keys } from '../../api/keys.ts'
import { useOverlay } from '../../app/overlays.ts'
import { Card } from '../../components/card.tsx'
import { Segments } from '../../components/segments.tsx'
import { Setting } from '../../components/setting.tsx'
import { complain } from '../../components/toast.tsx'
import { Button } from '../../components/button.tsx'
import { byteText } from '../../format/numbers.ts'
import { durationText } from '../../format/times.ts'
import { t, type Key } from '../../locales/translate.ts'
import { refusalText } from '../../api/refusal-text.ts'
import { useSave } from '../settings/use-save.ts'
import { TypedConfirm } from './removal/typed-confirm.tsx'
import { useGates } from './use-gates.ts'
import { useJobs } from './use-jobs.ts'

const modes: readonly { mode: DeleteMode; label: Key; note: Key }[] = [
  { mode: 'preserve', label: 'clear.preserve', note: 'clear.preserveNote' },
  { mode: 'full', label: 'clear.full', note: 'clear.fullNote' },
  { mode: 'rsync', label: 'clear.rsync', note: 'clear.rsyncNote' },
]

interface ClearCardProps {
  datasources: readonly { name: string; bytes: number | null }[]
  className?: string
}

/** The deletion method, and clearing of whole caches. */
export function ClearCard({ datasources, className }: ClearCardProps) {
  const { data: mode } = useDeleteMode()
  const { data: size } = useCacheSize()
  const { save, isBusy } = useSave({ stale: [[...keys.cache]] })
  const { write } = useGates()
  const { isBusy: isClearing } = useJobs(['cacheClearing'])
  /** The cache whose confirmation is open; `null` means all of them. */
  const [asked, setAsked] = useState<string | null | undefined>(undefined)
  const shown = modes.find((known) => known.mode === mode)
  const times = size?.estimatedDeletionTimes
  const seconds = times === undefined || shown === undefined ? null : times[`${shown.mode}Seconds`]
  const isBarred = (name: string | null) =>
    isClearing ||
    (name === null
      ? datasources.length > 0 && write.length === datasources.length
      : write.some(({ datasource }) => datasource === name))
  const change = (next: DeleteMode) =>
    save({
      run: () => unwrap(api.system['cache-delete-mode'].patch({ deleteMode: next })),
      done: t('clear.modeSaved'),
      ...(mode === undefined
        ? {}
        : { undo: () => unwrap(api.system['cache-delete-mode'].patch({ deleteMode: mode })) }),
    })
  return (
    <Card title={t('clear.title')} {...(className === undefined ? {} : { className })}>
      {mode !== undefined && (
        <Setting
          title={t('clear.mode')}
          note={
            <>
              {shown !== undefined && t(shown.note)}
              {seconds !== null &&
                ` ${t('clear.takes', { time: durationText(Math.max(1, seconds)) })}`}
            </>
          }
        >
          <Segments
            value={mode}
            options={modes.map((known) => ({ value: known.mode, label: t(known.label) }))}
            disabled={isBusy}
            onChange={change}
          />
        </Setting>
      )}
      {datasources.length > 1 &&
        datasources.map(({ name, bytes }) => (
          <Setting
            key={name}
            title={t('clear.oneTitle', { name })}
            {...(bytes === null ? {} : { note: byteText(bytes) })}
          >
            <Button disabled={isBarred(name)} onClick={() => setAsked(name)}>
              {t('clear.one')}
            </Button>
          </Setting>
        ))}
      <Setting title={t('clear.allTitle')} note={t('clear.allNote')}>
        <Button disabled={isBarred(null)} onClick={() => setAsked(null)}>
          {t('clear.all')}
        </Button>
      </Setting>
      {asked !== undefined && (
        <ClearDialog
          name={asked}
          bytes={
            asked === null
              ? (size?.totalBytes ?? null)
              : (datasources.find(({ name }) => name === asked)?.bytes ?? null)
          }
          onClose={() => setAsked(undefined)}
        />
      )}
    </Card>
  )
}

interface ClearDialogProps {
  name: string | null
  bytes: number | null
  onClose: () => void
}

function ClearDialog({ name, bytes, onClose }: ClearDialogProps) {
  const queries = useQueryClient()
  const openOverlay = useOverlay()
  const clear = useMutation({
    mutationFn: async () => {
      if (name === null) await unwrap(api.cache.delete())
      else await unwrap(api.cache.datasources({ name }).delete())
    },
    onSuccess: () => {
      onClose()
      openOverlay('operations')
    },
    onError: (error) => complain(refusalText(error)),
    onSettled: () => queries.invalidateQueries({ queryKey: keys.operations }),
  })
  const amount = bytes === null ? t('clear.everything') : byteText(bytes)
  return (
    <TypedConfirm
      title={name === null ? t('clear.allTitle') : t('clear.oneTitle', { name })}
      consequence={t('clear.consequence', { bytes: amount })}
      word={name ?? t('clear.word')}
      action={name === null ? t('clear.all') : t('clear.one')}
      isBusy={clear.isPending}
      onClose={onClose}
      onConfirm={() => clear.mutate()}
    />
  )
}
