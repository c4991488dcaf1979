import { Button } from '../form-controls.tsx'
import { Confirm, Row, StateLine } from '../setting.tsx'
import { keys } from '../../api/client.ts'
import { useNow } from '../../app/use-now.ts'
import { durationText } from '../../format/times.ts'
import { t, tn } from '../../locales/translate.ts'
import { useSave } from '../../app/use-save.ts'
import { platformFacts } from '../../../platforms/platforms.ts'
import { reasonText } from '../../format/reason-text.ts'
import { AccountLogin } from './account-login.tsx'
import {
  loginStored,
  logoutAccount,
  removeAccount,
  startAccount,
  stopPersistent,
  type PrefillAccount,
} from '../../api/account-queries.ts'

interface AccountRowProps {
  account: PrefillAccount
  /** Its place among the platform's accounts, which stands for a name as long as there is none. */
  number: number
  /** Account of the catalogue whose sign-in can be used here as well; null: none. */
  storedAccount: string | null
  /** Whether its sign-in is open. */
  isOpen: boolean
  onOpen: (isOpen: boolean) => void
}

/** An account that prefills: its state, its sign-in and its end. */
export function AccountRow(props: AccountRowProps) {
  const { account, number, storedAccount, isOpen, onOpen } = props
  const { id, platform, isFirst, sessionId, state } = account
  const { save, isBusy } = useSave({ stale: [keys.prefill] })
  const name = account.name ?? t('prefill.accountNumber', { number })
  const isIn = state === 'signedIn'
  const hasSession = state !== 'notStarted' && state !== 'failed'
  const start = async () => {
    const started = await startAccount(id)
    // The daemon may have kept its sign-in.
    onOpen(started.state !== 'signedIn')
  }
  const signIn = () => (hasSession ? onOpen(true) : save({ run: start }))
  const isAsking = isOpen && hasSession && !isIn
  return (
    <>
      <Row isEntry title={name} note={<AccountState account={account} />}>
        {!isIn && hasSession && storedAccount !== null && sessionId !== null && (
          <Button
            disabled={isBusy}
            onClick={() =>
              save({
                run: () => loginStored(platform, sessionId),
                done: t('prefill.signedIn', { platform: platformFacts[platform].title }),
              })
            }
          >
            {t('prefill.signInAs', { name: storedAccount })}
          </Button>
        )}
        {isIn && (
          <Button
            disabled={isBusy}
            onClick={() => save({ run: () => logoutAccount(id), after: () => onOpen(false) })}
          >
            {t('action.signOut')}
          </Button>
        )}
        {!isIn && !isAsking && (
          <Button disabled={isBusy} onClick={signIn}>
            {t(isBusy ? 'prefill.starting' : 'prefill.signIn')}
          </Button>
        )}
        {isFirst && sessionId !== null && (
          <Confirm
            label={t('prefill.stop')}
            consequence={t('prefill.stopText')}
            isBusy={isBusy}
            onConfirm={() => save({ run: () => stopPersistent(sessionId) })}
          />
        )}
        {!isFirst && (
          <Confirm
            label={t('prefill.accountRemove')}
            consequence={t('prefill.accountRemoveText', { name })}
            isBusy={isBusy}
            onConfirm={() =>
              save({
                run: () => removeAccount(id),
                done: t('prefill.accountRemoved', { name }),
              })
            }
          />
        )}
      </Row>
      {isAsking && <AccountLogin platform={platform} id={id} onDone={() => onOpen(false)} />}
    </>
  )
}

/** Whether an account can prefill, and how long it can. */
export function AccountState({ account }: { account: PrefillAccount }) {
  const now = useNow(60_000)
  const { state, problem, expiresAtUtc, isPrefilling, games } = account
  if (state === 'failed') {
    return (
      <StateLine tone="bad">
        {problem === null ? t('prefill.broken') : reasonText(problem)}
      </StateLine>
    )
  }
  if (state === 'notStarted') return <StateLine tone="quiet">{t('prefill.notRunning')}</StateLine>
  if (state === 'signingIn') return <StateLine tone="good">{t('prefill.signingIn')}</StateLine>
  if (state !== 'signedIn') {
    const text = state === 'expired' ? 'prefill.reloginNeeded' : 'prefill.notSignedIn'
    return <StateLine tone="attention">{t(text)}</StateLine>
  }
  const seconds = expiresAtUtc === null ? null : (Date.parse(expiresAtUtc) - now.getTime()) / 1000
  const parts = [
    t(isPrefilling ? 'prefill.running' : 'prefill.ready'),
    games === null ? '' : tn('count.games', games),
    seconds === null ? '' : t('prefill.validFor', { time: durationText(Math.max(0, seconds)) }),
  ]
  return <StateLine tone="good">{parts.filter((part) => part !== '').join(' · ')}</StateLine>
}
