import { useState } from 'react'
import { accepted, api, ownHeaders, unwrap, keys } from '../../../api/client.ts'
import { useAccountRead, useStatus } from '../../../api/queries.ts'
import { useJobs, useStaleAfter } from '../../../app/use-jobs.ts'
import { useNow } from '../../../app/clock.ts'
import { useSave } from '../../../app/use-save.ts'
import { Card, Pending, Row, StateLine } from '../../../components/card.tsx'
import { JobsCard } from '../../../components/jobs-card.tsx'
import { Action, NumberSetting } from '../../../components/setting-controls.tsx'
import { byteText, percentText } from '../../../format/numbers.ts'
import { durationText, fullMomentText } from '../../../format/times.ts'
import { t, tn } from '../../../locales/translate.ts'
import { ScheduleLink } from '../../../components/schedule-link.tsx'
import { SettingsPage } from '../settings-page.tsx'

const jobs = ['backup', 'restore'] as const
const stale = [keys.backups]
const counts = [1, 3, 7, 14, 30] as const

/** Snapshots of all data: made, downloaded, restored, and made on a schedule. */
export function Page() {
  const { data } = useBackups()
  useStaleAfter(jobs, stale)
  return (
    <SettingsPage title={t('settings.backup')}>
      <JobsCard types={jobs} />
      {data !== undefined && data.lastRestore !== null && <LastRestore last={data.lastRestore} />}
      {data !== undefined && data.updateProblem !== null && (
        <Card title={t('backup.noUpdateSnapshot')}>
          <StateLine tone="attention">{data.updateProblem}</StateLine>
        </Card>
      )}
      <SnapshotsCard />
      <ScheduleCard />
      <Card title={t('backup.contents')}>
        <p className="max-w-[72ch] text-[13px] text-dim">{t('backup.contentsText')}</p>
      </Card>
    </SettingsPage>
  )
}

function LastRestore({ last }: { last: NonNullable<Backups['lastRestore']> }) {
  const times = {
    at: fullMomentText(new Date(last.at)),
    snapshot: fullMomentText(new Date(last.snapshotAt)),
  }
  const { problem } = last
  return (
    <Card title={t(problem === null ? 'backup.restored' : 'backup.notRestored')}>
      <StateLine tone={problem === null ? 'good' : 'attention'}>
        {problem === null
          ? t('backup.restoredText', times)
          : t('backup.notRestoredText', { ...times, reason: problem })}
      </StateLine>
    </Card>
  )
}

function ScheduleCard() {
  const { data: schedule, error } = useBackupSchedule()
  const { data } = useBackups()
  const now = useNow(30_000)
  const nextAt = schedule?.nextRunUtc ?? null
  const nextText =
    nextAt === null
      ? t('schedules.noNext')
      : t('schedules.next', {
          time: durationText(Math.max(0, (Date.parse(nextAt) - now.getTime()) / 1000)),
        })
  return (
    <Card stale={[keys.backups]} title={t('backup.schedule')}>
      {(schedule === undefined || data === undefined) && <Pending error={error} rows={2} />}
      {schedule !== undefined && data !== undefined && (
        <>
          <Row
            title={t('backup.interval')}
            note={<StateLine tone={nextAt === null ? 'quiet' : 'good'}>{nextText}</StateLine>}
          >
            <ScheduleLink of="backup" />
          </Row>
          <NumberSetting
            id="backup.keep"
            value={data.keep}
            known={counts}
            text={(count) => tn('backup.count', count)}
            write={(keep) => unwrap(api.ext.backups.settings.put({ keep }))}
          />
        </>
      )}
    </Card>
  )
}

const staleLists = [keys.backups, keys.operations]

/** All snapshots, newest first, and a new one. */
function SnapshotsCard() {
  const { data, error } = useBackups()
  const { isBusy: isWorking } = useJobs(['backup', 'restore'])
  return (
    <Card
      stale={staleLists}
      title={t('backup.snapshots')}
      {...(data === undefined
        ? {}
        : { note: t('backup.free', { size: byteText(data.freeBytes) }) })}
      action={
        <Action
          label={t('backup.make')}
          run={() => unwrap(api.ext.backups.post())}
          done={t('backup.started')}
          disabled={isWorking}
        />
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
  const status = useStatus().data
  const isOwner = status?.isMainAdmin === true
  // Without authentication these take the installation key, which a browser does not send.
  const mayRead = isOwner && status.authenticationEnabled
  const one = api.ext.backups({ name })
  return (
    <Row
      stale={staleLists}
      title={fullMomentText(new Date(createdAt))}
      note={`${t(`backup.kind.${kind}`)} · ${byteText(bytes)}`}
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
          <Action
            label={t('backup.restore')}
            action={t('backup.restartToFinish')}
            consequence={t('backup.restoreText', { time: fullMomentText(new Date(createdAt)) })}
            run={() => unwrap(one.restore.post())}
            done={t('backup.restoreStarted')}
            disabled={isWorking}
          />
        </>
      )}
      {isOwner && (
        <Action
          label={t('backup.delete')}
          consequence={t('backup.deleteText')}
          run={() => unwrap(one.delete())}
          done={t('backup.deleted')}
        />
      )}
    </Row>
  )
}

/** Takes a snapshot of another installation; shows how much of it has arrived. */
function Upload() {
  const status = useStatus().data
  const { save, isBusy } = useSave({ stale: staleLists })
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

const useBackups = () => useAccountRead(keys.backups, api.ext.backups.get)
type Backups = NonNullable<ReturnType<typeof useBackups>['data']>
type Snapshot = Backups['snapshots'][number]

const useBackupSchedule = () =>
  useAccountRead(keys.schedules, api.system.schedules.get, {
    select: (schedules) => schedules.find(({ key }) => key === 'backup'),
  })

/** Bytes of one piece: the server takes no larger bodies. */
const pieceBytes = 1024 * 1024

/** Sends a file in parts, one after the other; `progress` gets the share that has arrived. */
async function uploadSnapshot(file: File, progress: (share: number) => void): Promise<void> {
  for (let offset = 0; offset < file.size; offset += pieceBytes) {
    const body = new FormData()
    body.append('file', file.slice(offset, offset + pieceBytes), 'piece')
    body.append('offset', String(offset))
    body.append('total', String(file.size))
    const headers = ownHeaders()
    await accepted(await fetch('/api/ext/backups/upload', { method: 'POST', headers, body }))
    progress(Math.min(1, (offset + pieceBytes) / file.size))
  }
}
