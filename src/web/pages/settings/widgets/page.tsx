import { useState } from 'react'
import { api, unwrap, keys } from '../../../api/client.ts'
import { useAccountRead } from '../../../api/queries.ts'
import { useNow } from '../../../app/clock.ts'
import { useSave } from '../../../app/use-save.ts'
import { Button, Field, Form, Tick } from '../../../components/form-controls.tsx'
import { Card, Notice, Pending, Problem, Row } from '../../../components/card.tsx'
import { CopyBlock, CopyField } from '../../../components/copy-field.tsx'
import { Action } from '../../../components/setting-controls.tsx'
import { sinceText, dayText } from '../../../format/times.ts'
import { t } from '../../../locales/translate.ts'
import { SettingsPage } from '../settings-page.tsx'
import { badgeExample, homepageExample } from './examples.ts'
import { MqttCard } from './mqtt-card.tsx'

/** Figures for other programs: tokens of widgets, their addresses, and MQTT. */
export const Page = () => (
  <SettingsPage title={t('settings.widgets')}>
    <TokensCard />
    <PreviewCard />
    <MqttCard />
  </SettingsPage>
)

const figures = ['saved', 'today', 'ratio', 'speed', 'free'] as const
const paths = [
  ['/api/widgets/summary', 'widgets.summaryPath'],
  ['/DownloadStats/GetTotalDownloadStats', 'widgets.totalsPath'],
  ['/api/widgets/badge.svg?figure=…', 'widgets.badgePath'],
] as const

/** The badges as they look now, and the addresses that widgets ask. */
const PreviewCard = () => (
  <Card title={t('widgets.addresses')} note={t('widgets.addressesNote')}>
    <dl className="space-y-2 text-[13px]">
      {paths.map(([path, note]) => (
        <div key={path}>
          <dt className="font-mono">{path}</dt>
          <dd className="text-dim">{t(note)}</dd>
        </div>
      ))}
    </dl>
    <div className="mt-4 flex flex-wrap gap-3">
      {figures.map((figure) => (
        <figure key={figure}>
          <img
            alt={t(`widgets.figure.${figure}`)}
            className="h-5"
            src={`/api/widgets/badge.svg?figure=${figure}`}
          />
          <figcaption className="mt-1 font-mono text-tiny text-dim">{figure}</figcaption>
        </figure>
      ))}
    </div>
  </Card>
)

const scopes: readonly Scope[] = ['summary', 'badge', 'clients']

/** Read-only tokens for widgets. A new one is shown once. */
function TokensCard() {
  const { data, error } = useTokens()
  const [isAdding, setIsAdding] = useState(false)
  /** The token that was just created. */
  const [token, setToken] = useState<string | null>(null)
  return (
    <Card
      title={t('widgets.tokens')}
      note={t('widgets.tokensNote')}
      action={
        !isAdding &&
        data?.items.length !== 0 && (
          <Button onClick={() => setIsAdding(true)}>{t('widgets.create')}</Button>
        )
      }
    >
      {token !== null && <Created token={token} onDone={() => setToken(null)} />}
      {isAdding && (
        <NewToken
          onDone={(made) => {
            setIsAdding(false)
            setToken(made)
          }}
        />
      )}
      {data === undefined && <Pending error={error} rows={2} />}
      {data?.items.length === 0 && !isAdding && (
        <Notice
          title={t('widgets.none')}
          action={<Button onClick={() => setIsAdding(true)}>{t('widgets.create')}</Button>}
          className="py-10"
        >
          {t('widgets.noneText')}
        </Notice>
      )}
      {data?.items.map((one) => (
        <Entry key={one.id} token={one} />
      ))}
    </Card>
  )
}

function Entry({ token }: { token: Token }) {
  const now = useNow(30_000)
  const { id, name, createdAtUtc, lastUsedAtUtc } = token
  const names = token.scopes.map((scope) => t(`widgets.scope.${scope}`))
  const facts = [
    names.join(', '),
    t('widgets.created', { day: dayText(new Date(createdAtUtc)) }),
    lastUsedAtUtc === null
      ? t('widgets.neverUsed')
      : t('widgets.used', { time: sinceText(new Date(lastUsedAtUtc), now) }),
  ]
  return (
    <Row stale={[keys.widgetTokens]} title={name} note={facts.join(' · ')}>
      <Action
        label={t('widgets.revoke')}
        consequence={t('widgets.revokeConsequence', { name })}
        run={() => unwrap(api.ext.widgets.tokens({ id }).delete())}
        done={t('widgets.revoked')}
      />
    </Row>
  )
}

function NewToken({ onDone }: { onDone: (token: string | null) => void }) {
  const { save, isBusy, error } = useSave({ stale: [keys.widgetTokens], showsError: true })
  const [name, setName] = useState('')
  const [chosen, setChosen] = useState<readonly Scope[]>(['summary', 'badge'])
  const create = async () => {
    const body = { name: name.trim(), scopes: [...chosen] }
    const { token } = await unwrap(api.ext.widgets.tokens.post(body))
    onDone(token)
  }
  const toggle = (scope: Scope) =>
    setChosen(chosen.includes(scope) ? chosen.filter((one) => one !== scope) : [...chosen, scope])
  return (
    <Form
      onSubmit={() => save({ run: create })}
      className="mb-4 space-y-4 rounded-control bg-raise p-4"
    >
      <div className="max-w-[320px]">
        <Field
          label={t('widgets.name')}
          autoFocus
          maxLength={100}
          placeholder="Homepage"
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
      </div>
      <div>
        {scopes.map((scope) => (
          <div key={scope} className="flex items-center gap-3 py-1.5">
            <Tick
              label={t(`widgets.scope.${scope}`)}
              state={chosen.includes(scope)}
              onToggle={() => toggle(scope)}
            />
            <span>
              {t(`widgets.scope.${scope}`)}
              <span className="block text-small text-dim">{t(`widgets.scopeNote.${scope}`)}</span>
            </span>
          </div>
        ))}
      </div>
      <Problem error={error} />
      <div className="flex gap-2">
        <Button
          type="submit"
          className="primary"
          disabled={isBusy || name.trim() === '' || chosen.length === 0}
        >
          {t('widgets.create')}
        </Button>
        <Button onClick={() => onDone(null)}>{t('action.cancel')}</Button>
      </div>
    </Form>
  )
}

/** The token and what to do with it. */
function Created({ token, onDone }: { token: string; onDone: () => void }) {
  const { origin } = location
  return (
    <div role="status" className="mb-4 space-y-3 rounded-control bg-raise p-4">
      <p className="font-medium">{t('widgets.shownOnce')}</p>
      <CopyField label={t('widgets.token')} value={token} />
      <p className="text-small text-dim">{t('widgets.homepage')}</p>
      <CopyBlock label={t('widgets.homepageLabel')} value={homepageExample(origin, token)} />
      <p className="text-small text-dim">{t('widgets.badgeAddress')}</p>
      <CopyField label={t('widgets.badge')} value={badgeExample(origin, token)} />
      <Button onClick={onDone}>{t('widgets.noted')}</Button>
    </div>
  )
}

const useTokens = () => useAccountRead(keys.widgetTokens, api.ext.widgets.tokens.get)
type Token = NonNullable<ReturnType<typeof useTokens>['data']>['items'][number]
type Scope = Token['scopes'][number]
