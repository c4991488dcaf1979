import { useState } from 'react'
import { api, unwrap } from '../../../api/eden.ts'
import { keys } from '../../../api/keys.ts'
import { useStatus } from '../../../api/queries.ts'
import { Button } from '../../../components/button.tsx'
import { Card } from '../../../components/card.tsx'
import { Pending } from '../../../components/notice.tsx'
import { Confirm, Row } from '../../../components/setting.tsx'
import { byteText, percentText } from '../../../format/numbers.ts'
import { fullMomentText } from '../../../format/times.ts'
import { t, type Key } from '../../../locales/translate.ts'
import { useJobs } from '../../../app/use-jobs.ts'
import { useSave } from '../../../app/use-save.ts'
import { useBackups, type Snapshot } from './queries.ts'
import { uploadSnapshot } from './upload-snapshot.ts'

const kinds: Record<Snapshot['kind'], Key> = {
  manual: 'backup.manual',
  scheduled: 'backup.scheduled',
  'before-restore': 'backup.beforeRestore',
  'before-update': 'backup.beforeUpdate',
  uploaded: 'backup.uploaded',
}
const stale = [keys.backups, keys.operations]

/** All snapshots, newest first, and a new one. */
export function SnapshotsCard() {
  const { data, error } = useBackups()
  const { isBusy: isWorking } = useJobs(['backup', 'restore'])
  const { save, isBusy } = useSave({ stale })
  const make = () => save({ run: () => unwrap(api.ext.backups.post()), done: t('backup.started') })
  return (
    <Card
      title={t('backup.snapshots')}
      {...(data === undefined
        ? {}
        : { note: t('backup.free', { size: byteText(data.freeBytes) }) })}
      action={
        <Button disabled={isBusy || isWorking} onClick={make}>
          {t('backup.make')}
        </Button>
      }
    >
      {data === undefined && <Pending error={error} rows={3} />}
      {data?.snapshots.length === 0 && <p className="text-dim">{t('backup.none')}</p>}
      {data?.snapshots.map((snapshot) => (
        <Entry key={snapshot.name} snapshot={snapshot} isWorking={isWorking} />
      ))}
      {data !== undefined && (
        <p className="mt-3 text-small wrap-anywhere text-dim">
          {t('backup.folder', { folder: data.folder })}
        </p>
      )}
      <Upload />
    </Card>
  )
}

function Entry({ snapshot, isWorking }: { snapshot: Snapshot; isWorking: boolean }) {
  const { name, kind, createdAt, bytes } = snapshot
  const { save, isBusy } = useSave({ stale })
  const status = useStatus().data
  const isOwner = status?.isMainAdmin === true
  // Without authentication these take the installation key, which a browser does not send.
  const mayRead = isOwner && status.authenticationEnabled
  const one = api.ext.backups({ name })
  return (
    <Row
      title={fullMomentText(new Date(createdAt))}
      note={`${t(kinds[kind])} · ${byteText(bytes)}`}
    >
      {mayRead && (
        <>
          <a
            className="control inline-flex items-center"
            href={`/api/ext/backups/${encodeURIComponent(name)}/file`}
            download={name}
          >
            {t('backup.download')}
          </a>
          <Confirm
            label={t('backup.restore')}
            consequence={t('backup.restoreText', { time: fullMomentText(new Date(createdAt)) })}
            disabled={isWorking}
            isBusy={isBusy}
            onConfirm={() =>
              save({ run: () => unwrap(one.restore.post()), done: t('backup.restoreStarted') })
            }
          />
        </>
      )}
      {isOwner && (
        <Confirm
          label={t('backup.delete')}
          consequence={t('backup.deleteText')}
          isBusy={isBusy}
          onConfirm={() => save({ run: () => unwrap(one.delete()), done: t('backup.deleted') })}
        />
      )}
    </Row>
  )
}

/** Takes a snapshot of another installation; shows how much of it has arrived. */
function Upload() {
  const status = useStatus().data
  const { save, isBusy } = useSave({ stale })
  const [share, setShare] = useState<number | null>(null)
  if (status?.isMainAdmin !== true) return null
  if (!status.authenticationEnabled) {
    return <p className="mt-3 text-small text-dim">{t('backup.needsKey')}</p>
  }
  const take = (file: File | undefined) => {
    if (file === undefined) return
    setShare(0)
    save({
      run: () => uploadSnapshot(file, setShare).finally(() => setShare(null)),
      done: t('backup.received', { name: file.name }),
    })
  }
  return (
    <label className="mt-3 flex cursor-pointer flex-wrap items-center gap-3 rounded-control border border-dashed border-edge px-4 py-3 focus-within:outline-2 focus-within:outline-cache hover:bg-raise">
      <span className="font-medium">{t('backup.upload')}</span>
      <span className="text-small text-dim" role="status">
        {share === null ? t('backup.uploadHint') : percentText(share * 100)}
      </span>
      <input
        type="file"
        accept=".zst"
        className="sr-only"
        disabled={isBusy}
        onChange={({ target }) => {
          take(target.files?.[0])
          target.value = ''
        }}
      />
    </label>
  )
}
