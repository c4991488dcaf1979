import { api, unwrap } from '../../../api/eden.ts'
import { Card } from '../../../components/card.tsx'
import { Pending } from '../../../components/notice.tsx'
import { Row, StateLine } from '../../../components/setting.tsx'
import { say } from '../../../components/toast.tsx'
import { Button } from '../../../components/button.tsx'
import { t, type Key } from '../../../locales/translate.ts'
import { signalText } from '../../../app/stage-text.ts'
import { useSave } from '../../../app/use-save.ts'
import { Command } from '../../../components/command.tsx'
import { logsKey, useReopen } from './queries.ts'

const hints: Readonly<Record<string, Key>> = {
  grantSignalPrivilege: 'logs.hintPrivilege',
  enablePidHost: 'logs.hintPid',
  mountDockerSocket: 'logs.hintSocket',
}

/** Whether the proxy reopens its log after a change, with a remedy. */
export function ReopenCard() {
  const { data, error } = useReopen()
  const { save, isBusy } = useSave({ stale: [logsKey] })
  const signal = async () => {
    const { isDone, detail } = await unwrap(api.ext.logs.reopen.post())
    say(signalText(isDone, detail))
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
              <StateLine tone={data.canReopen ? 'good' : data.isEnabled ? 'attention' : 'quiet'}>
                {data.canReopen
                  ? t(data.way === 'container' ? 'logs.byContainer' : 'logs.byProcess', {
                      target: data.target ?? '',
                    })
                  : t(data.isEnabled ? 'logs.cannotReopen' : 'logs.reopenOff')}
                {hint !== undefined && ` ${t(hint)}`}
              </StateLine>
            }
          >
            <Button disabled={isBusy || !data.canReopen} onClick={() => save({ run: signal })}>
              {t('logs.tellNow')}
            </Button>
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
