import type { ReactNode } from 'react'
import { keys } from '../../../api/client.ts'
import { useJobs } from '../../../app/use-jobs.ts'
import { useNow } from '../../../app/clock.ts'
import { Action } from '../../../components/setting-controls.tsx'
import { Row, StateLine, Saves } from '../../../components/card.tsx'
import { countText, percentText } from '../../../format/numbers.ts'
import { sinceText } from '../../../format/times.ts'
import { t } from '../../../locales/translate.ts'

/** The run of the moment, how the last one failed, or when it was. */
function LastRun({ platform, account }: Pick<AccountRowsProps, 'platform' | 'account'>) {
  const now = useNow(30_000)
  const jobs = useJobs([`${platform}Mapping`])
  const [running] = jobs.running
  const [last] = jobs.recent
  const lastAt = account.lastCollectionUtc
  if (running !== undefined) {
    const percent = percentText(running.percentComplete)
    return <StateLine tone="good">{t('mappings.collecting', { percent })}</StateLine>
  }
  if (last?.status === 'failed') {
    const reason = last.error ?? ''
    return <StateLine tone="attention">{t('mappings.failed', { reason })}</StateLine>
  }
  if (lastAt === null) return <StateLine tone="quiet">{t('mappings.never')}</StateLine>
  const time = sinceText(new Date(lastAt), now)
  return <StateLine tone="good">{t('mappings.last', { time })}</StateLine>
}

interface AccountRowsProps {
  platform: 'beta' | 'epsilon'
  account: {
    gamesDiscovered: number
    isAuthenticated: boolean
    displayName: string | null
    lastCollectionUtc: string | null
  }
  /** Further facts about the account. */
  note?: ReactNode
  /** Starts a sign-in; null while one goes on. */
  signIn: ReactNode
  refresh: () => Promise<unknown>
  /** Without it, a refresh cannot be cancelled. */
  cancel?: () => Promise<unknown>
  signOut: () => Promise<unknown>
}

/** The games that an account brought, and what can be done with it. */
export function AccountRows(props: AccountRowsProps) {
  const { platform, account, note, signIn, refresh, cancel, signOut } = props
  const { isAuthenticated, displayName: name } = account
  const { isBusy } = useJobs([`${platform}Mapping`])
  return (
    <Saves stale={[keys[`${platform}Mappings`], keys.operations]}>
      <Row
        title={t('mappings.known')}
        note={
          (isAuthenticated || signIn !== null) && <LastRun platform={platform} account={account} />
        }
      >
        <span className="figure">{countText(account.gamesDiscovered)}</span>
      </Row>
      <Row
        title={t('mappings.account')}
        note={
          <>
            <StateLine tone={isAuthenticated ? 'good' : 'quiet'}>
              {!isAuthenticated
                ? t('mappings.signedOut')
                : name === null
                  ? t('mappings.signedInUnnamed')
                  : t('mappings.signedIn', { name })}
            </StateLine>
            {note}
          </>
        }
      >
        {!isAuthenticated && signIn}
        {isAuthenticated && isBusy && cancel !== undefined && (
          <Action label={t('action.cancel')} run={cancel} done={t('mappings.cancelled')} />
        )}
        {isAuthenticated && !(isBusy && cancel !== undefined) && (
          <Action
            label={t('mappings.apply')}
            run={refresh}
            done={t('mappings.refreshing')}
            disabled={isBusy}
          />
        )}
        {isAuthenticated && (
          <Action
            label={t('action.signOut')}
            consequence={t('mappings.signOutConsequence')}
            run={signOut}
            done={t(`mappings.forgotten.${platform}`)}
          />
        )}
      </Row>
    </Saves>
  )
}
