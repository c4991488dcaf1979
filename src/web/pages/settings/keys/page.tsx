import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useAlphaKeyStatus } from '../../../api/access-queries.ts'
import { api, unwrap, keys } from '../../../api/client.ts'
import { useStatus } from '../../../api/queries.ts'
import { refusalText } from '../../../api/refusal-text.ts'
import { freshKey } from '../../../app/fresh-key.ts'
import { useNow } from '../../../app/clock.ts'
import { Button, Field, Form } from '../../../components/form-controls.tsx'
import { Card, Pending, Row, StateLine } from '../../../components/card.tsx'
import { Dot, type Tone } from '../../../components/figures.tsx'
import { Action } from '../../../components/setting-controls.tsx'
import { KeyHint } from '../../../components/credentials/credential-fields.tsx'
import { notify } from '../../../components/toast.tsx'
import { sinceText } from '../../../format/times.ts'
import { t, type Key } from '../../../locales/translate.ts'
import { SettingsPage } from '../settings-page.tsx'
import { AccountsLink } from '../platform-accounts/link.tsx'

/** The installation key, and the key of Steam's web services. */
export const Page = () => (
  <SettingsPage title={t('settings.keys')}>
    <InstallationKey />
    <WebKeyCard />
  </SettingsPage>
)

function InstallationKey() {
  const { data: status } = useStatus()
  const isOwner = status?.isMainAdmin === true
  const regenerate = async () => {
    const { apiKey } = await unwrap(api['api-keys'].regenerate.post())
    freshKey.set(apiKey)
  }
  return (
    <Card stale={[keys.status]} title={t('access.key')}>
      <Row title={t('keys.installation')} note={<KeyHint />} />
      <Row
        title={t('keys.regenerate')}
        note={t(isOwner ? 'keys.regenerateNote' : 'keys.ownerOnly')}
      >
        <Action
          label={t('keys.regenerate')}
          consequence={t('keys.regenerateConsequence')}
          run={regenerate}
          disabled={!isOwner}
        />
      </Row>
    </Card>
  )
}

const versions: Record<string, readonly [Tone, Key]> = {
  V2Active: ['good', 'webKey.v2'],
  V1WithKey: ['good', 'webKey.v1'],
  V1NoKey: ['attention', 'webKey.needed'],
  BothFailed: ['attention', 'webKey.failed'],
  Unknown: ['quiet', 'webKey.unknown'],
}

function WebKeyCard() {
  const { data, error } = useAlphaKeyStatus()
  const now = useNow(30_000)
  const [isOpen, setIsOpen] = useState(false)
  const [tone, text] = versions[data?.version ?? 'Unknown'] ?? ['quiet', 'webKey.unknown']
  const check = () => unwrap(api['alpha-api-keys'].status.get({ query: { forceRefresh: true } }))
  return (
    <Card stale={[keys.alphaKey]} title={t('webKey.title')} note={t('webKey.note')}>
      {data === undefined && <Pending error={error} rows={2} />}
      {data !== undefined && (
        <>
          <Row
            title={t('webKey.lists')}
            note={
              <StateLine tone={tone}>
                {t(text)} ·{' '}
                {t('webKey.checked', { time: sinceText(new Date(data.lastChecked), now) })}
              </StateLine>
            }
          >
            <Action label={t('webKey.check')} run={check} />
          </Row>
          <Row title={t('webKey.key')} note={t(data.hasApiKey ? 'webKey.stored' : 'webKey.none')}>
            {!isOpen && (
              <Button onClick={() => setIsOpen(true)}>
                {t(data.hasApiKey ? 'webKey.replace' : 'webKey.add')}
              </Button>
            )}
            {data.hasApiKey && (
              <Action
                label={t('webKey.remove')}
                consequence={t('webKey.removeConsequence')}
                run={() => unwrap(api['alpha-api-keys'].current.delete())}
                done={t('webKey.removed')}
              />
            )}
          </Row>
          {isOpen && <WebKeyForm hasKey={data.hasApiKey} onDone={() => setIsOpen(false)} />}
          <AccountsLink note={t('platformAccounts.ofSteam')} />
        </>
      )}
    </Card>
  )
}

/** Tests a key and stores it if it works; it cannot be read back. */
function WebKeyForm({ hasKey, onDone }: { hasKey: boolean; onDone: () => void }) {
  const queries = useQueryClient()
  const [apiKey, setApiKey] = useState('')
  const body = { apiKey: apiKey.trim() }
  const trial = useMutation({ mutationFn: () => unwrap(api['alpha-api-keys'].test.post(body)) })
  const store = useMutation({
    mutationFn: () => unwrap(api['alpha-api-keys'].post(body)),
    onSuccess: async () => {
      setApiKey('')
      notify(t('webKey.saved'))
      onDone()
      await queries.invalidateQueries({ queryKey: keys.alphaKey })
    },
  })
  const isBusy = trial.isPending || store.isPending
  const error = store.error ?? trial.error
  const submit = () => {
    trial.reset()
    store.mutate()
  }
  return (
    <Form onSubmit={submit} className="pt-3">
      <div className="max-w-[420px]">
        <Field
          label={t(hasKey ? 'webKey.replace' : 'webKey.field')}
          autoFocus
          name="web-key"
          type="password"
          autoComplete="off"
          spellCheck={false}
          maxLength={512}
          value={apiKey}
          onChange={({ target }) => {
            setApiKey(target.value)
            trial.reset()
            store.reset()
          }}
          hint={t('webKey.hint')}
        />
      </div>
      <div className="mt-3 flex flex-wrap items-center gap-2">
        <Button
          disabled={isBusy || body.apiKey === ''}
          onClick={() => {
            store.reset()
            trial.mutate()
          }}
        >
          {t('webKey.test')}
        </Button>
        <Button type="submit" disabled={isBusy || body.apiKey === ''}>
          {t('webKey.save')}
        </Button>
        <Button onClick={onDone}>{t('action.cancel')}</Button>
        <p role="status" className="flex items-center gap-2 text-[13px]">
          {isBusy && t('webKey.asking')}
          {!isBusy && trial.data !== undefined && (
            <>
              <Dot tone={trial.data.valid ? 'good' : 'bad'} />
              {trial.data.valid ? t('webKey.valid') : trial.data.message || t('webKey.invalid')}
            </>
          )}
          {!isBusy && error !== null && <span className="text-bad">{refusalText(error)}</span>}
        </p>
      </div>
    </Form>
  )
}
