import { useState } from 'react'
import { Button } from '../../../components/button.tsx'
import { Confirm, Row, StateLine } from '../../../components/setting.tsx'
import { keys } from '../../../api/keys.ts'
import { useNow } from '../../../app/use-now.ts'
import { durationText } from '../../../format/times.ts'
import { t } from '../../../locales/translate.ts'
import { useSave } from '../../../app/use-save.ts'
import { platformFacts, type Platform } from '../../../../platforms/platforms.ts'
import { reasonText } from '../reason-text.ts'
import { PersistentLogin } from './persistent-login.tsx'
import {
  loginStored,
  logoutPersistent,
  startPersistent,
  stopPersistent,
  type PersistentRow,
} from './queries.ts'

interface PersistentRowProps {
  platform: Platform
  /** Null: none. */
  row: PersistentRow | null
}

/** The session of a platform that stays: its state, its sign-in, start and stop. */
export function PersistentRowView({ platform, row }: PersistentRowProps) {
  const { save, isBusy } = useSave({ stale: [keys.prefill] })
  const [isSigningIn, setIsSigningIn] = useState(false)
  const isRunning = row?.isRunning === true
  const needsLogin =
    isRunning && platformFacts[platform].needsLogin && (!row.isAuthenticated || row.needsRelogin)
  return (
    <>
      <Row title={platformFacts[platform].title} note={<State row={row} needsLogin={needsLogin} />}>
        {needsLogin && row.storedAccount !== null && (
          <Button
            disabled={isBusy}
            onClick={() =>
              save({
                run: () => loginStored(platform, row.sessionId),
                done: t('prefill.signedIn', { platform: platformFacts[platform].title }),
              })
            }
          >
            {t('prefill.signInAs', { name: row.storedAccount })}
          </Button>
        )}
        {needsLogin && (
          <Button disabled={isBusy} onClick={() => setIsSigningIn(!isSigningIn)}>
            {t('prefill.signIn')}
          </Button>
        )}
        {isRunning && platformFacts[platform].needsLogin && !needsLogin && (
          <Button
            disabled={isBusy}
            onClick={() => save({ run: () => logoutPersistent(platform, row.sessionId) })}
          >
            {t('action.signOut')}
          </Button>
        )}
        {isRunning ? (
          <Confirm
            label={t('prefill.stop')}
            consequence={t('prefill.stopText')}
            isBusy={isBusy}
            onConfirm={() => save({ run: () => stopPersistent(row.sessionId) })}
          />
        ) : (
          <Button disabled={isBusy} onClick={() => save({ run: () => startPersistent(platform) })}>
            {t(isBusy ? 'prefill.starting' : 'prefill.startPersistent')}
          </Button>
        )}
      </Row>
      {isSigningIn && needsLogin && (
        <PersistentLogin
          platform={platform}
          sessionId={row.sessionId}
          onDone={() => setIsSigningIn(false)}
        />
      )}
    </>
  )
}

function State({ row, needsLogin }: { row: PersistentRow | null; needsLogin: boolean }) {
  const now = useNow(60_000)
  if (row !== null && !row.isRunning && row.errorMessage !== null) {
    return <StateLine tone="bad">{reasonText(row.errorMessage)}</StateLine>
  }
  if (row === null || !row.isRunning) {
    return <StateLine tone="quiet">{t('prefill.notRunning')}</StateLine>
  }
  if (needsLogin) {
    const text = row.needsRelogin ? 'prefill.reloginNeeded' : 'prefill.notSignedIn'
    return <StateLine tone="attention">{t(text)}</StateLine>
  }
  const left = Math.max(0, (Date.parse(row.authExpiresAtUtc) - now.getTime()) / 1000)
  const parts = [
    row.isPrefilling ? t('prefill.running') : t('prefill.ready'),
    row.currentAppName ?? '',
    t('prefill.validFor', { time: durationText(left) }),
  ]
  return <StateLine tone="good">{parts.filter((part) => part !== '').join(' · ')}</StateLine>
}
