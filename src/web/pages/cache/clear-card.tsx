import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import {
  useAway,
  useCacheSize,
  useDatasources,
  useDeleteMode,
  useIndexStates,
} from '../../api/cache-queries.ts'
import { api, unwrap, keys } from '../../api/client.ts'
import { useOverlay } from '../../app/overlays.ts'
import { Card, Row } from '../../components/card.tsx'
import { Button } from '../../components/form-controls.tsx'
import { byteText } from '../../format/numbers.ts'
import { durationText } from '../../format/times.ts'
import { t } from '../../locales/translate.ts'
import { TypedConfirm } from '../../components/typed-confirm.tsx'
import { useAwayChoice } from './away/choice.tsx'
import { noCache } from './gates.ts'
import { useGates } from './use-gates.ts'
import { useJobs } from '../../app/use-jobs.ts'
import { useSave } from '../../app/use-save.ts'

/** Clearing of whole caches, with the deletion method of the settings. */
export function ClearCard() {
  const states = useIndexStates().data?.items
  const datasources = (useDatasources().data?.items ?? []).map(({ name }) => {
    const state = states?.find(({ datasource }) => datasource === name)
    // A folder that belongs to another one too is counted there.
    return { name, bytes: state?.bytes ?? null, isShared: (state?.sharedWith ?? null) !== null }
  })
  const { data: mode } = useDeleteMode()
  const { data: size } = useCacheSize()
  const { all: gates, write } = useGates()
  const away = new Set(useAway().flatMap((one) => one.datasources))
  const isClosed = (name: string) =>
    away.has(name) || write.some(({ datasource }) => datasource === name)
  const { isBusy: isClearing } = useJobs(['cacheClearing'])
  /** The cache whose confirmation is open; `null` means all of them. */
  const [asked, setAsked] = useState<string | null | undefined>(undefined)
  // Caches that are not writable are skipped.
  const cleared = datasources.filter(({ name, isShared }) => !isShared && !isClosed(name))
  const times = size?.estimatedDeletionTimes
  const seconds = times === undefined || mode === undefined ? null : times[`${mode}Seconds`]
  const isBarred = (name: string | null) =>
    isClearing ||
    gates.includes(noCache) ||
    (name === null
      ? datasources.length > 0 && datasources.every((one) => isClosed(one.name))
      : isClosed(name))
  return (
    <Card id="clear" title={t('clear.title')} className="lg:col-span-12">
      {mode !== undefined && (
        <Row
          title={t('datasource.deleteMode')}
          note={
            <>
              {t(`datasource.deletion.${mode}`)}.
              {seconds !== null &&
                ` ${t('clear.takes', { time: durationText(Math.max(1, seconds)) })}`}
            </>
          }
        >
          <Link to="/settings/datasources" className="link">
            {t('clear.changeMode')}
          </Link>
        </Row>
      )}
      {datasources.length > 1 &&
        datasources.map(({ name, bytes }) => (
          <Row
            key={name}
            title={t('clear.oneTitle', { name })}
            note={bytes === null ? undefined : byteText(bytes)}
          >
            <Button disabled={isBarred(name)} onClick={() => setAsked(name)}>
              {t('clear.one')}
            </Button>
          </Row>
        ))}
      <Row title={t('clear.allTitle')} note={t('clear.allNote')}>
        <Button disabled={isBarred(null)} onClick={() => setAsked(null)}>
          {t('clear.all')}
        </Button>
      </Row>
      {asked !== undefined && (
        <ClearDialog
          name={asked}
          bytes={
            asked === null
              ? sumOf(cleared)
              : (datasources.find(({ name }) => name === asked)?.bytes ?? null)
          }
          onClose={() => setAsked(undefined)}
        />
      )}
    </Card>
  )
}

const sumOf = (caches: readonly { bytes: number | null }[]): number | null =>
  caches.reduce<number | null>(
    (sum, { bytes }) => (sum === null || bytes === null ? null : sum + bytes),
    0,
  )

interface ClearDialogProps {
  name: string | null
  bytes: number | null
  onClose: () => void
}

function ClearDialog({ name, bytes, onClose }: ClearDialogProps) {
  const openOverlay = useOverlay()
  const { query, control } = useAwayChoice('away.clearNote')
  const { save, isBusy } = useSave({ stale: [keys.operations] })
  const run = async () => {
    if (name === null) await unwrap(api.cache.delete({}, { query }))
    else await unwrap(api.cache.datasources({ name }).delete())
  }
  const after = () => {
    onClose()
    openOverlay('operations')
  }
  const amount = bytes === null ? t('clear.everything') : byteText(bytes)
  return (
    <TypedConfirm
      title={name === null ? t('clear.allTitle') : t('clear.oneTitle', { name })}
      consequence={t('clear.consequence', { bytes: amount })}
      word={name ?? t('clear.word')}
      action={name === null ? t('clear.all') : t('clear.one')}
      isBusy={isBusy}
      onClose={onClose}
      onConfirm={() => save({ run, after })}
    >
      {name === null && control}
    </TypedConfirm>
  )
}
