import { useState } from 'react'
import { useAlphaKeyStatus } from '../../../api/access-queries.ts'
import { api, unwrap } from '../../../api/eden.ts'
import { keys } from '../../../api/keys.ts'
import { useStatus } from '../../../api/queries.ts'
import { freshKey } from '../../../app/fresh-key.ts'
import { useNow } from '../../../app/use-now.ts'
import { Card } from '../../../components/card.tsx'
import type { Tone } from '../../../components/figures.tsx'
import { Pending } from '../../../components/notice.tsx'
import { Confirm, Row, StateLine } from '../../../components/setting.tsx'
import { Button } from '../../../components/button.tsx'
import { sinceText } from '../../../format/since.ts'
import { t, type Key } from '../../../locales/translate.ts'
import { SettingsPage } from '../settings-page.tsx'
import { useSave } from '../../../app/use-save.ts'
import { AlphaAccountCard } from './alpha-account.tsx'
import { WebKeyForm } from './web-key-form.tsx'

/** The installation key, and the service's credentials for Steam. */
export function Page() {
  return (
    <SettingsPage title={t('settings.keys')}>
      <InstallationKey />
      <AlphaAccountCard />
      <WebKeyCard />
    </SettingsPage>
  )
}

function InstallationKey() {
  const { data: status } = useStatus()
  const { save, isBusy } = useSave({ stale: [keys.status] })
  const isOwner = status?.isMainAdmin === true
  const regenerate = async () => {
    const { apiKey } = await unwrap(api['api-keys'].regenerate.post())
    freshKey.set(apiKey)
  }
  return (
    <Card title={t('access.key')}>
      <Row
        title={t('keys.installation')}
        note={
          <>
            {t('access.keyHint')} <code className="text-text">security/api_key.txt</code>.
          </>
        }
      />
      <Row
        title={t('keys.regenerate')}
        note={t(isOwner ? 'keys.regenerateNote' : 'keys.ownerOnly')}
      >
        <Confirm
          label={t('keys.regenerate')}
          consequence={t('keys.regenerateConsequence')}
          isBusy={isBusy}
          disabled={!isOwner}
          onConfirm={() => save({ run: regenerate })}
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
  const { save, isBusy } = useSave({ stale: [keys.alphaKey] })
  const [tone, text] = versions[data?.version ?? 'Unknown'] ?? ['quiet', 'webKey.unknown']
  const check = () => unwrap(api['alpha-api-keys'].status.get({ query: { forceRefresh: true } }))
  return (
    <Card title={t('webKey.title')} note={t('webKey.note')}>
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
            <Button disabled={isBusy} onClick={() => save({ run: check })}>
              {t('webKey.check')}
            </Button>
          </Row>
          <Row title={t('webKey.key')} note={t(data.hasApiKey ? 'webKey.stored' : 'webKey.none')}>
            {!isOpen && (
              <Button onClick={() => setIsOpen(true)}>
                {t(data.hasApiKey ? 'webKey.replace' : 'webKey.add')}
              </Button>
            )}
            {data.hasApiKey && (
              <Confirm
                label={t('webKey.remove')}
                consequence={t('webKey.removeConsequence')}
                isBusy={isBusy}
                onConfirm={() =>
                  save({
                    run: () => unwrap(api['alpha-api-keys'].current.delete()),
                    done: t('webKey.removed'),
                  })
                }
              />
            )}
          </Row>
          {isOpen && <WebKeyForm hasKey={data.hasApiKey} onDone={() => setIsOpen(false)} />}
        </>
      )}
    </Card>
  )
}
