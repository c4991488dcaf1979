import type { ReactNode } from 'react'
import type { useJobs } from '../../../app/use-jobs.ts'
import { useNow } from '../../../app/clock.ts'
import { Action } from '../../../components/setting-controls.tsx'
import { Row, StateLine, Saves, type Stale } from '../../../components/card.tsx'
import { countText, percentText } from '../../../format/numbers.ts'
import { sinceText } from '../../../format/times.ts'
import { t } from '../../../locales/translate.ts'

interface LastRunProps {
  jobs: ReturnType<typeof useJobs>
  /** ISO-8601; null: never. */
  lastAt: string | null
}

/** The run of the moment, how the last one failed, or when it was. */
function LastRun({ jobs, lastAt }: LastRunProps) {
  const now = useNow(30_000)
  const [running] = jobs.running
  const [last] = jobs.recent
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
  jobs: ReturnType<typeof useJobs>
  /** Further facts about the account. */
  note?: ReactNode
  /** Starts a sign-in; null while one goes on. */
  signIn: ReactNode
  refresh: () => Promise<unknown>
  /** Without it, a refresh cannot be cancelled. */
  cancel?: () => Promise<unknown>
  signOut: () => Promise<unknown>
  /** What any of this makes stale. */
  stale: Stale
}

/** The games that an account brought, and what can be done with it. */
export function AccountRows(props: AccountRowsProps) {
  const { platform, account, jobs, note, signIn, refresh, cancel, signOut, stale } = props
  const { isAuthenticated, displayName: name } = account
  return (
    <Saves stale={stale}>
      <Row
        title={t('mappings.known')}
        note={
          (isAuthenticated || signIn !== null) && (
            <LastRun jobs={jobs} lastAt={account.lastCollectionUtc} />
          )
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
        {isAuthenticated && jobs.isBusy && cancel !== undefined && (
          <Action label={t('action.cancel')} run={cancel} done={t('mappings.cancelled')} />
        )}
        {isAuthenticated && !(jobs.isBusy && cancel !== undefined) && (
          <Action
            label={t('mappings.apply')}
            run={refresh}
            done={t('mappings.refreshing')}
            disabled={jobs.isBusy}
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
