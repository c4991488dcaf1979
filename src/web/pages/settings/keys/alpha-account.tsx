import { useState } from 'react'
import { useAlphaAuth } from '../../../api/access-queries.ts'
import { api, unwrap } from '../../../api/eden.ts'
import { keys } from '../../../api/keys.ts'
import { Card } from '../../../components/card.tsx'
import { Pending } from '../../../components/notice.tsx'
import { Segments } from '../../../components/segments.tsx'
import { Confirm, Row, Setting, StateLine } from '../../../components/setting.tsx'
import { Button } from '../../../components/button.tsx'
import { t } from '../../../locales/translate.ts'
import { useSave } from '../../../app/use-save.ts'
import { AlphaLogin } from './alpha-login.tsx'

/** How the service signs in to Steam: anonymously or with an account. */
export function AlphaAccountCard() {
  const { data, error } = useAlphaAuth()
  const { save, isBusy } = useSave({ stale: [keys.alphaAuth] })
  const [isOpen, setIsOpen] = useState(false)
  if (data === undefined) {
    return (
      <Card title={t('steam.title')}>
        <Pending error={error} rows={2} />
      </Card>
    )
  }
  const { mode, username, isConnected, hasStoredCredentials } = data
  const canSignIn = !hasStoredCredentials || !isConnected
  const setMode = (next: 'anonymous' | 'authenticated') =>
    unwrap(api['alpha-auth'].mode.put({ mode: next }))
  const state = hasStoredCredentials
    ? t(isConnected ? 'steam.signedIn' : 'steam.stale', { name: username })
    : t('steam.signedOut')
  return (
    <Card title={t('steam.title')} note={t('steam.note')}>
      <Setting id="steam.mode">
        <Segments
          // Without a choice it is anonymous.
          value={mode === 'authenticated' ? mode : 'anonymous'}
          options={[
            { value: 'anonymous', label: t('steam.anonymous') },
            { value: 'authenticated', label: t('steam.account') },
          ]}
          disabled={isBusy}
          onChange={(next) =>
            save({ run: () => setMode(next === 'authenticated' ? next : 'anonymous') })
          }
        />
      </Setting>
      <Row
        title={t('steam.signIn')}
        note={
          <StateLine tone={hasStoredCredentials ? (isConnected ? 'good' : 'attention') : 'quiet'}>
            {state}
          </StateLine>
        }
      >
        {canSignIn && !isOpen && <Button onClick={() => setIsOpen(true)}>{t('steam.open')}</Button>}
        {hasStoredCredentials && (
          <Confirm
            label={t('action.signOut')}
            consequence={t('steam.signOutConsequence')}
            isBusy={isBusy}
            onConfirm={() =>
              save({ run: () => unwrap(api['alpha-auth'].delete()), done: t('steam.forgotten') })
            }
          />
        )}
      </Row>
      {canSignIn && isOpen && (
        <AlphaLogin canCancel={!hasStoredCredentials} onDone={() => setIsOpen(false)} />
      )}
    </Card>
  )
}
