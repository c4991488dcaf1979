import { Row, StateLine } from '../card.tsx'
import { keys } from '../../api/client.ts'
import { useNow } from '../../app/clock.ts'
import { durationText } from '../../format/times.ts'
import { t, tn } from '../../locales/translate.ts'
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
import { Action } from '../setting-controls.tsx'

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
  const name = account.name ?? t('prefill.accountNumber', { number })
  const isIn = state === 'signedIn'
  const hasSession = state !== 'notStarted' && state !== 'failed'
  const signIn = async () => {
    // The daemon may have kept its sign-in.
    onOpen(hasSession || (await startAccount(id)).state !== 'signedIn')
  }
  const isAsking = isOpen && hasSession && !isIn
  return (
    <>
      <Row isEntry stale={[keys.prefill]} title={name} note={<AccountState account={account} />}>
        {!isIn && hasSession && storedAccount !== null && sessionId !== null && (
          <Action
            label={t('prefill.signInAs', { name: storedAccount })}
            run={() => loginStored(platform, sessionId)}
            done={t('prefill.signedIn', { platform: platformFacts[platform].title })}
          />
        )}
        {isIn && (
          <Action
            label={t('action.signOut')}
            run={() => logoutAccount(id)}
            after={() => onOpen(false)}
          />
        )}
        {!isIn && !isAsking && (
          <Action label={t('prefill.signIn')} busy={t('prefill.starting')} run={signIn} />
        )}
        {isFirst && sessionId !== null && (
          <Action
            label={t('prefill.stop')}
            consequence={t('prefill.stopText')}
            run={() => stopPersistent(sessionId)}
          />
        )}
        {!isFirst && (
          <Action
            label={t('prefill.accountRemove')}
            consequence={t('prefill.accountRemoveText', { name })}
            run={() => removeAccount(id)}
            done={t('prefill.accountRemoved', { name })}
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
