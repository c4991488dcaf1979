import { useState } from 'react'
import { api, unwrap, keys } from '../../../api/client.ts'
import { useAccountRead } from '../../../api/queries.ts'
import { useNow } from '../../../app/clock.ts'
import { Button, Field, useTexts, Form } from '../../../components/form-controls.tsx'
import { Card, Pending, StateLine, useSaving } from '../../../components/card.tsx'
import { onOff, Setting, SavedSwitch } from '../../../components/setting-controls.tsx'
import { sinceText } from '../../../format/times.ts'
import { t } from '../../../locales/translate.ts'

/** Figures over MQTT, for Home Assistant. */
export function MqttCard() {
  const { data, error } = useMqtt()
  return (
    <Card title="MQTT" note={t('mqtt.note')} id="mqtt" stale={[keys.mqtt]}>
      {data === undefined && <Pending error={error} rows={3} />}
      {data !== undefined && <Broker key={data.url} mqtt={data} />}
    </Card>
  )
}

function State({ mqtt: { state, error, lastPublishedAtUtc } }: { mqtt: Mqtt }) {
  const now = useNow(15_000)
  if (state === 'off') return <StateLine tone="quiet">{t('mqtt.off')}</StateLine>
  if (state === 'connecting') {
    return (
      <StateLine tone={error === null ? 'quiet' : 'bad'}>
        {error === null ? t('mqtt.connecting') : t('mqtt.failed', { reason: error })}
      </StateLine>
    )
  }
  return (
    <StateLine tone="good">
      {lastPublishedAtUtc === null
        ? t('mqtt.connected')
        : t('mqtt.published', { time: sinceText(new Date(lastPublishedAtUtc), now) })}
    </StateLine>
  )
}

function Broker({ mqtt }: { mqtt: Mqtt }) {
  const [isOpen, setIsOpen] = useState(false)
  const { isEnabled, url, user, prefix } = mqtt
  const put = (next: boolean) => unwrap(api.ext.mqtt.put({ isEnabled: next, url, user, prefix }))
  return (
    <>
      <Setting
        id="mqtt.publish"
        value={onOff(isEnabled)}
        state={
          <>
            <State mqtt={mqtt} />
            {url !== '' && <span className="block">{t('mqtt.at', { url, prefix })}</span>}
          </>
        }
      >
        <Button onClick={() => setIsOpen(!isOpen)} aria-expanded={isOpen}>
          {t(url === '' ? 'mqtt.setUp' : 'mqtt.change')}
        </Button>
        {url !== '' && <SavedSwitch value={isEnabled} write={put} />}
      </Setting>
      {isOpen && <BrokerForm mqtt={mqtt} onDone={() => setIsOpen(false)} />}
    </>
  )
}

function BrokerForm({ mqtt, onDone }: { mqtt: Mqtt; onDone: () => void }) {
  const { save, isBusy } = useSaving()
  const { texts, bind } = useTexts({
    url: mqtt.url,
    user: mqtt.user ?? '',
    password: '',
    prefix: mqtt.prefix,
  })
  const { url, user, password, prefix } = texts
  const submit = () =>
    save({
      run: () =>
        unwrap(
          api.ext.mqtt.put({
            isEnabled: true,
            url: url.trim(),
            user: user.trim() === '' ? null : user.trim(),
            prefix: prefix.trim(),
            ...(password !== '' && { password }),
          }),
        ),
      done: t('prefs.saved'),
      after: onDone,
    })
  return (
    <Form onSubmit={submit} className="mt-3 grid gap-4 rounded-control bg-raise p-4 sm:grid-cols-2">
      <Field
        label={t('mqtt.url')}
        placeholder="mqtt://broker.lan:1883"
        hint={t('mqtt.urlHint')}
        autoFocus
        spellCheck={false}
        {...bind('url')}
      />
      <Field
        label={t('mqtt.prefix')}
        hint={t('mqtt.prefixHint')}
        spellCheck={false}
        maxLength={64}
        {...bind('prefix')}
      />
      <Field label={t('mqtt.user')} autoComplete="off" spellCheck={false} {...bind('user')} />
      <Field
        label={t('mqtt.password')}
        type="password"
        autoComplete="new-password"
        placeholder={mqtt.hasPassword ? t('notify.stored') : undefined}
        hint={mqtt.hasPassword && t('notify.storedHint')}
        {...bind('password')}
      />
      <div className="flex gap-2 sm:col-span-2">
        <Button
          type="submit"
          className="primary"
          disabled={isBusy || url.trim() === '' || prefix.trim() === ''}
        >
          {t('mqtt.save')}
        </Button>
        <Button onClick={onDone}>{t('action.cancel')}</Button>
      </div>
    </Form>
  )
}

const refreshMs = 5000

/** The broker and the state of its connection, which changes without a request. */
export const useMqtt = () =>
  useAccountRead(keys.mqtt, api.ext.mqtt.get, { refetchInterval: refreshMs })

export type Mqtt = NonNullable<ReturnType<typeof useMqtt>['data']>
