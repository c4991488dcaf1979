import { useState } from 'react'
import { api, unwrap } from '../../../api/eden.ts'
import { keys } from '../../../api/keys.ts'
import { Button } from '../../../components/button.tsx'
import { Card } from '../../../components/card.tsx'
import { Pending } from '../../../components/notice.tsx'
import { Confirm, Row } from '../../../components/setting.tsx'
import { countText } from '../../../format/numbers.ts'
import { durationText } from '../../../format/times.ts'
import { t } from '../../../locales/translate.ts'
import { useJobs } from '../../../app/use-jobs.ts'
import { ScheduleLink } from '../schedules/schedule-link.tsx'
import { useSave } from '../../../app/use-save.ts'
import { BetaSignIn } from './beta-sign-in.tsx'
import { AccountLine, LastRun } from './last-run.tsx'
import { useBetaAccount, useBetaSchedule } from './queries.ts'

const stale = [keys.betaMappings, keys.operations]

/** Names of Epic games: the account they come from, and when they are refreshed. */
export function BetaCard() {
  const { data, error } = useBetaAccount()
  const jobs = useJobs(['betaMapping'])
  const [isOpen, setIsOpen] = useState(false)
  return (
    <Card title={t('beta.title')} note={t('beta.note')}>
      {data === undefined && <Pending error={error} rows={3} />}
      {data !== undefined && (
        <>
          <Row
            title={t('mappings.known')}
            note={!isOpen && <LastRun jobs={jobs} lastAt={data.lastCollectionUtc} />}
          >
            <span className="figure">{countText(data.gamesDiscovered)}</span>
          </Row>
          <Row
            title={t('mappings.account')}
            note={<AccountLine isSignedIn={data.isAuthenticated} name={data.displayName} />}
          >
            {!data.isAuthenticated && !isOpen && (
              <Button onClick={() => setIsOpen(true)}>{t('mappings.signIn')}</Button>
            )}
            {data.isAuthenticated && <Signed isRunning={jobs.isBusy} />}
          </Row>
          {!data.isAuthenticated && isOpen && <BetaSignIn onDone={() => setIsOpen(false)} />}
          {data.isAuthenticated && <Interval />}
        </>
      )}
    </Card>
  )
}

/** What a signed-in account can do. */
function Signed({ isRunning }: { isRunning: boolean }) {
  const { save, isBusy } = useSave({ stale })
  const refresh = () => unwrap(api.ext.beta['game-mappings'].refresh.post())
  const cancel = () => unwrap(api.beta['game-mappings'].schedule.refresh.delete())
  return (
    <>
      {isRunning ? (
        <Button
          disabled={isBusy}
          onClick={() => save({ run: cancel, done: t('mappings.cancelled') })}
        >
          {t('action.cancel')}
        </Button>
      ) : (
        <Button
          disabled={isBusy}
          onClick={() => save({ run: refresh, done: t('mappings.refreshing') })}
        >
          {t('mappings.apply')}
        </Button>
      )}
      <Confirm
        label={t('action.signOut')}
        consequence={t('beta.signOutConsequence')}
        isBusy={isBusy}
        onConfirm={() =>
          save({
            run: () => unwrap(api.beta['game-mappings'].auth.delete()),
            done: t('beta.forgotten'),
          })
        }
      />
    </>
  )
}

function Interval() {
  const { data } = useBetaSchedule()
  if (data === undefined) return null
  const { refreshIntervalHours: current, nextRefreshIn } = data
  return (
    <Row
      title={t('beta.interval')}
      note={
        current === 0 ? t('beta.noInterval') : t('beta.next', { time: durationText(nextRefreshIn) })
      }
    >
      <ScheduleLink />
    </Row>
  )
}
