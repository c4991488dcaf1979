import { api, unwrap, keys } from '../../../api/client.ts'
import { useStatus } from '../../../api/queries.ts'
import { signalText } from '../../../app/stage-text.ts'
import { useRemedies } from '../../../app/remedies.ts'
import { useStaleAfter, useJobs } from '../../../app/use-jobs.ts'
import { Card, Notice, Pending, Trouble, Row, StateLine } from '../../../components/card.tsx'
import { Command } from '../../../components/command.tsx'
import { JobsCard } from '../../../components/jobs-card.tsx'
import { Action, AmountSetting, SwitchSetting } from '../../../components/setting-controls.tsx'
import { notify } from '../../../components/toast.tsx'
import { known, t, tn } from '../../../locales/translate.ts'
import { SettingsPage } from '../settings-page.tsx'
import {
  logsKey,
  usePositions,
  useQuarantine,
  useReopen,
  useLogRetention,
  useLogRetentionStatus,
  type LogRetention,
  type LogRetentionFile,
  type LogRetentionSource,
} from './queries.ts'
import { SourceCard } from './source-card.tsx'
import { useNow } from '../../../app/clock.ts'
import { Dot } from '../../../components/figures.tsx'
import { Table } from '../../../components/table.tsx'
import { byteText, countText } from '../../../format/numbers.ts'
import { momentText } from '../../../format/times.ts'

const jobs = ['logProcessing', 'logRemoval', 'logRotation'] as const
const stale = [logsKey]

/** Read positions of the logs, unparsed lines, and rotation and retention. */
export function Page() {
  const { data, error } = usePositions()
  const remedyText = useRemedies()
  useStaleAfter(jobs, stale)
  return (
    <SettingsPage title={t('settings.logs')}>
      <JobsCard types={jobs} />
      {data === undefined && (
        <Card title={t('logs.reading')}>
          <Pending error={error} rows={4} />
        </Card>
      )}
      {data !== undefined && data.length === 0 && (
        <Card title={t('logs.reading')}>
          <Notice tone="attention" title={t('health.noLog')}>
            {remedyText('remedy.noLog')}
          </Notice>
        </Card>
      )}
      {data?.map((source) => (
        <SourceCard key={source.datasource} source={source} />
      ))}
      <QuarantineCard />
      <ReopenCard />
      <LogRetentionCard />
    </SettingsPage>
  )
}

/** Whether the proxy reopens its log after a change, with a remedy. */
function ReopenCard() {
  const { data, error } = useReopen()
  const signal = async () => {
    const { isDone, detail } = await unwrap(api.ext.logs.reopen.post())
    notify(signalText(isDone, detail))
  }
  const hint = data === undefined ? null : known(`logs.hint.${data.hint}`)
  return (
    <Card stale={[logsKey]} title={t('logs.proxy')} note={t('logs.proxyNote')}>
      {data === undefined && <Pending error={error} rows={1} />}
      {data !== undefined && (
        <>
          <Row
            title={t('logs.reopen')}
            note={
              <StateLine tone={data.canReopen ? 'good' : 'quiet'}>
                {data.canReopen
                  ? t(data.way === 'container' ? 'logs.byContainer' : 'logs.byProcess', {
                      target: data.target ?? '',
                    })
                  : t(data.isEnabled ? 'logs.cannotReopen' : 'logs.reopenOff')}
                {hint !== null && ` ${t(hint)}`}
              </StateLine>
            }
          >
            <Action label={t('logs.tellNow')} run={signal} disabled={!data.canReopen} />
          </Row>
          {data.command !== null && (
            <div className="pt-3">
              <p className="mb-1.5 text-small text-dim">{t('logs.byHand')}</p>
              <Command text={data.command} />
            </div>
          )}
        </>
      )}
    </Card>
  )
}

/** Rows shown; the API's list has more. */
const shownRows = 20

/** Rows that the history refused, with a button to send them again; renders nothing without any. */
function QuarantineCard() {
  const { data } = useQuarantine()
  const isAdmin = useStatus().data?.sessionType === 'admin'
  if (data === undefined || data.total === 0) return null
  const run = () => unwrap(api.ext.logs.quarantine.retry.post())
  return (
    <Card stale={[logsKey]} title={t('logs.quarantine')} note={t('logs.quarantineNote')}>
      <Row title={t('logs.quarantineCount', { count: data.total })} note={data.rows[0]?.reason}>
        {isAdmin && (
          <Action label={t('logs.quarantineRetry')} run={run} done={t('logs.quarantineRetried')} />
        )}
      </Row>
      <ul className="space-y-1 pt-3 text-small text-dim">
        {data.rows.slice(0, shownRows).map(({ id, reason, sample }) => (
          <li key={id} className="break-all">
            {reason}: <code>{sample}</code>
          </li>
        ))}
      </ul>
    </Card>
  )
}

/** Maximum values, as on the server. */
const most = { mebibytes: 1_048_576, days: 3660, gibibytes: 1_048_576 }

/** Log rotation and retention: rotation, compression and deletion, with a dry run. */
function LogRetentionCard() {
  const { data, error } = useLogRetention()
  const status = useLogRetentionStatus()
  const { isBusy: isRunning } = useJobs(['logRotation'])
  const isOn = data?.isEnabled === true
  const canRotate = status.data?.reopen.canReopen !== false
  const sources = status.data?.datasources ?? []
  const freed = sources.reduce((sum, { bytesToDelete }) => sum + bytesToDelete, 0)
  const safe = sources.reduce((sum, { bytesSafeToDelete }) => sum + bytesSafeToDelete, 0)
  return (
    <Card
      stale={[logsKey, keys.operations]}
      title={t('logs.retention')}
      note={t('logs.retentionNote')}
    >
      {data === undefined && <Pending error={error} rows={4} />}
      {data !== undefined && (
        <>
          <PolicySettings policy={data} canRotate={canRotate} />
          <Row
            title={t('logs.plan')}
            note={
              <>
                {t('logs.safeBytes', { bytes: byteText(safe) })}{' '}
                {t(isOn ? 'logs.willDelete' : 'logs.wouldDelete', { bytes: byteText(freed) })}
              </>
            }
          >
            <Action
              label={t('logs.runNow')}
              run={() => unwrap(api.ext.logs.retention.run.post())}
              done={t('logs.retentionStarted')}
              disabled={!isOn || isRunning}
            />
          </Row>
        </>
      )}
      {status.data === undefined && status.error !== null && <Trouble error={status.error} />}
      {sources.map((source) => (
        <LogRetentionFiles key={source.datasource} source={source} isOn={isOn} />
      ))}
    </Card>
  )
}

/** Each action on files, and its threshold. */
function PolicySettings({ policy, canRotate }: { policy: LogRetention; canRotate: boolean }) {
  const member = <Name extends keyof LogRetention>(name: Name) => ({
    saved: () => t('logs.retentionSaved'),
    value: policy[name],
    write: (value: LogRetention[Name]) =>
      unwrap(api.ext.logs.retention.put({ ...policy, [name]: value })),
  })
  const days = { unit: t('logs.daysUnit'), range: [1, most.days] as const }
  const tone = policy.isEnabled ? 'attention' : 'quiet'
  const blocked = !canRotate && <StateLine tone={tone}>{t('logs.cannotRotate')}</StateLine>
  return (
    <>
      <SwitchSetting id="logs.retentionOn" {...member('isEnabled')} />
      <AmountSetting
        id="logs.rotateSize"
        unit="MiB"
        range={[1, most.mebibytes]}
        {...member('rotateAboveMib')}
      />
      <AmountSetting id="logs.rotateAge" state={blocked} {...days} {...member('rotateAfterDays')} />
      <SwitchSetting id="logs.compress" {...member('compresses')} />
      <AmountSetting id="logs.keepDays" {...days} {...member('keepDays')} />
      <AmountSetting
        id="logs.keepSize"
        unit="GiB"
        range={[1, most.gibibytes]}
        {...member('keepGib')}
      />
    </>
  )
}

const actionText = (action: LogRetentionFile['action'], isOn: boolean): string =>
  t(isOn || action === 'none' ? `logs.action.${action}` : `logs.dry.${action}`)

/** Whether a file was counted completely, in words. */
function stateText({ isCurrent, isSafeToDelete, reason, reasonKey }: LogRetentionFile): string {
  const key = known(`logs.why.${reasonKey}`)
  if (key !== null) return t(key)
  if (reason !== null) return reason
  if (isCurrent) return t('logs.isCurrent')
  return t(isSafeToDelete ? 'logs.isSafe' : 'logs.notSafe')
}

/** A datasource's log files: what was counted, and what the settings do with them. */
function LogRetentionFiles({ source, isOn }: { source: LogRetentionSource; isOn: boolean }) {
  const now = useNow(60_000)
  const { datasource, files } = source
  return (
    <section className="border-t border-line pt-3">
      <h3 className="mb-1.5 flex flex-wrap gap-x-2.5">
        {datasource}
        <span className="figure text-dim">
          {tn('logs.files', files.length)} · {byteText(source.bytes)}
        </span>
      </h3>
      {files.length > 0 && (
        <Table
          label={datasource}
          head={[
            t('logs.columnFile'),
            t('logs.columnSize'),
            t('logs.columnCounted'),
            t(isOn ? 'logs.columnNext' : 'logs.columnDry'),
          ]}
          ends={[1]}
          className="min-w-[520px]"
        >
          {files.map((file) => (
            <tr key={file.name} className="border-line align-top not-last:border-b">
              <td className="py-1.5 pr-3">
                <span className="block">{file.name}</span>
                <span className="block text-small text-dim">
                  {momentText(new Date(file.modifiedAt), now)}
                </span>
              </td>
              <td className="py-1.5 pr-3 text-right whitespace-nowrap">{byteText(file.bytes)}</td>
              <td className="py-1.5 pr-3">
                <span className="flex items-center gap-2">
                  <Dot tone={file.isSafeToDelete ? 'good' : 'quiet'} />
                  {stateText(file)}
                </span>
                {file.uncounted.length > 0 && (
                  <span className="block text-small text-dim">
                    {tn('logs.uncounted', file.uncounted.length)}{' '}
                    {file.uncounted
                      .slice(0, 3)
                      .map(({ fromByte, toByte }) =>
                        t('logs.byteRange', {
                          from: countText(fromByte),
                          to: toByte === null ? t('logs.itsEnd') : countText(toByte),
                        }),
                      )
                      .join(', ')}
                  </span>
                )}
              </td>
              <td className={file.action === 'none' ? 'py-1.5 text-dim' : 'py-1.5 font-medium'}>
                {actionText(file.action, isOn)}
              </td>
            </tr>
          ))}
        </Table>
      )}
    </section>
  )
}
