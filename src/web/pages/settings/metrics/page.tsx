import { api, unwrap, keys } from '../../../api/client.ts'
import { useAccountRead } from '../../../api/queries.ts'
import { useSave } from '../../../app/use-save.ts'
import { Button, Switch } from '../../../components/form-controls.tsx'
import { Card, Pending, Row } from '../../../components/card.tsx'
import { CopyBlock, CopyField } from '../../../components/copy-field.tsx'
import { NumberSetting, onOff, Setting } from '../../../components/setting-controls.tsx'
import { t, tn } from '../../../locales/translate.ts'
import { SettingsPage } from '../settings-page.tsx'
import { scrapeConfig } from './scrape-config.ts'

const gameLimits = [10, 25, 50, 100, 200, 500] as const
const intervals = [5, 10, 15, 30, 60] as const

const metrics = api.metrics
const useSecurity = () => useAccountRead([...keys.metrics, 'security'], metrics.security.get)

/** Who may read `/metrics`, what it lists, and how to use it. */
export function Page() {
  const security = useSecurity()
  return (
    <SettingsPage title={t('settings.metrics')}>
      <Card title={t('metrics.title')} note={t('metrics.note')} stale={[keys.metrics]}>
        {security.data === undefined && <Pending error={security.error} rows={4} />}
        {security.data !== undefined && (
          <>
            <Row title={t('metrics.address')} note={t('metrics.addressNote')}>
              <div className="w-[min(340px,80vw)]">
                <CopyField label={t('metrics.address')} value={`${location.origin}/metrics`} />
              </div>
            </Row>
            <Access security={security.data} />
            <Contents />
          </>
        )}
      </Card>
      {security.data !== undefined && <Use needsKey={security.data.requiresAuthentication} />}
    </SettingsPage>
  )
}

function Access({ security }: { security: NonNullable<ReturnType<typeof useSecurity>['data']> }) {
  const { requiresAuthentication, source, envVarValue } = security
  const { change, isBusy } = useSave({ stale: [keys.metrics] })
  const put = (enabled: boolean | null) => unwrap(metrics.security.post({ enabled }))
  const before = source === 'ui' ? requiresAuthentication : null
  return (
    <Setting id="metrics.key" value={onOff(requiresAuthentication)} standard={onOff(envVarValue)}>
      {source === 'ui' && (
        <Button disabled={isBusy} onClick={() => change(put, [null, before])}>
          {t('monitoring.toDefault')}
        </Button>
      )}
      <Switch
        isOn={requiresAuthentication}
        disabled={isBusy}
        onChange={(isOn) => change(put, [isOn, before])}
      />
    </Setting>
  )
}

function Contents() {
  const limit = useAccountRead([...keys.metrics, 'limit'], metrics['game-limit'].get).data
  const interval = useAccountRead([...keys.metrics, 'interval'], metrics.interval.get).data
  return (
    <>
      {limit !== undefined && (
        <NumberSetting
          id="metrics.games"
          value={limit.gameLimit}
          known={gameLimits}
          text={(count) => tn('count.games', count)}
          write={(gameLimit) => unwrap(metrics['game-limit'].post({ gameLimit }))}
        />
      )}
      {interval !== undefined && (
        <NumberSetting
          id="metrics.interval"
          value={interval.interval}
          known={intervals}
          text={(seconds) => tn('metrics.seconds', seconds)}
          write={(seconds) => unwrap(metrics.interval.post({ interval: seconds }))}
        />
      )}
    </>
  )
}

/** What to write into Prometheus, and the dashboard for Grafana. */
const Use = ({ needsKey }: { needsKey: boolean }) => (
  <Card title={t('metrics.use')}>
    <p className="mb-2 text-dim">{t(needsKey ? 'metrics.scrapeWithKey' : 'metrics.scrape')}</p>
    <CopyBlock label={t('metrics.scrapeLabel')} value={scrapeConfig(location, needsKey)} />
    <p className="mt-4 mb-2 text-dim">{t('metrics.grafana')}</p>
    <a className="control self-start" href="/grafana.json" download="larder-grafana.json">
      {t('metrics.grafanaFile')}
    </a>
  </Card>
)
