import { api, unwrap } from '../../../api/eden.ts'
import { keys } from '../../../api/keys.ts'
import { useNow } from '../../../app/use-now.ts'
import { Card } from '../../../components/card.tsx'
import { Choice } from '../../../components/choice.tsx'
import { Pending } from '../../../components/notice.tsx'
import { Row, Setting, StateLine } from '../../../components/setting.tsx'
import { durationText, fullMomentText } from '../../../format/times.ts'
import { t } from '../../../locales/translate.ts'
import { JobsCard } from '../../../components/jobs-card.tsx'
import { useStaleAfter } from '../../../app/use-stale-after.ts'
import { ScheduleLink } from '../schedules/schedule-link.tsx'
import { SettingsPage } from '../settings-page.tsx'
import { useSave } from '../../../app/use-save.ts'
import { useBackups, useBackupSchedule, type Backups } from './queries.ts'
import { SnapshotsCard } from './snapshots-card.tsx'

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
  const { change, isBusy } = useSave({ stale: [keys.backups] })
  const now = useNow(30_000)
  const setKeep = (keep: number) => unwrap(api.ext.backups.settings.put({ keep }))
  const nextAt = schedule?.nextRunUtc ?? null
  const nextText =
    nextAt === null
      ? t('schedules.noNext')
      : t('schedules.next', {
          time: durationText(Math.max(0, (Date.parse(nextAt) - now.getTime()) / 1000)),
        })
  return (
    <Card title={t('backup.schedule')}>
      {(schedule === undefined || data === undefined) && <Pending error={error} rows={2} />}
      {schedule !== undefined && data !== undefined && (
        <>
          <Row
            title={t('backup.interval')}
            note={<StateLine tone={nextAt === null ? 'quiet' : 'good'}>{nextText}</StateLine>}
          >
            <ScheduleLink />
          </Row>
          <Setting id="backup.keep">
            <Choice
              value={String(data.keep)}
              options={counts.map((count) => ({ value: String(count), label: String(count) }))}
              disabled={isBusy}
              onChange={(value) => change(setKeep, [Number(value), data.keep])}
            />
          </Setting>
        </>
      )}
    </Card>
  )
}
