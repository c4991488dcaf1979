import { api, unwrap } from '../../../api/eden.ts'
import { useStatus } from '../../../api/queries.ts'
import { signalText } from '../../../app/stage-text.ts'
import { useRemedies } from '../../../app/use-remedies.ts'
import { useSave } from '../../../app/use-save.ts'
import { useStaleAfter } from '../../../app/use-stale-after.ts'
import { Card } from '../../../components/card.tsx'
import { Command } from '../../../components/command.tsx'
import { JobsCard } from '../../../components/jobs-card.tsx'
import { Notice, Pending } from '../../../components/notice.tsx'
import { Action } from '../../../components/setting-controls.tsx'
import { Row, StateLine } from '../../../components/setting.tsx'
import { notify } from '../../../components/toast.tsx'
import { t, type Key } from '../../../locales/translate.ts'
import { SettingsPage } from '../settings-page.tsx'
import { logsKey, usePositions, useQuarantine, useReopen } from './queries.ts'
import { LogRetentionCard } from './retention-card.tsx'
import { SourceCard } from './source-card.tsx'

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

const hints: Readonly<Record<string, Key>> = {
  grantSignalPrivilege: 'logs.hintPrivilege',
  enablePidHost: 'logs.hintPid',
  mountDockerSocket: 'logs.hintSocket',
}

/** Whether the proxy reopens its log after a change, with a remedy. */
function ReopenCard() {
  const { data, error } = useReopen()
  const saving = useSave({ stale: [logsKey] })
  const signal = async () => {
    const { isDone, detail } = await unwrap(api.ext.logs.reopen.post())
    notify(signalText(isDone, detail))
  }
  const hint = data === undefined ? undefined : hints[data.hint]
  return (
    <Card title={t('logs.proxy')} note={t('logs.proxyNote')}>
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
                {hint !== undefined && ` ${t(hint)}`}
              </StateLine>
            }
          >
            <Action
              label={t('logs.tellNow')}
              run={signal}
              saving={saving}
              disabled={!data.canReopen}
            />
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
  const saving = useSave({ stale: [logsKey] })
  if (data === undefined || data.total === 0) return null
  const run = () => unwrap(api.ext.logs.quarantine.retry.post())
  return (
    <Card title={t('logs.quarantine')} note={t('logs.quarantineNote')}>
      <Row title={t('logs.quarantineCount', { count: data.total })} note={data.rows[0]?.reason}>
        {isAdmin && (
          <Action
            label={t('logs.quarantineRetry')}
            run={run}
            done={t('logs.quarantineRetried')}
            saving={saving}
          />
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
