import { useState } from 'react'
import { api, unwrap } from '../../../api/eden.ts'
import { keys } from '../../../api/keys.ts'
import { Button } from '../../../components/button.tsx'
import { Card } from '../../../components/card.tsx'
import { Choice } from '../../../components/choice.tsx'
import { Pending } from '../../../components/notice.tsx'
import { Confirm, Setting } from '../../../components/setting.tsx'
import { countText } from '../../../format/numbers.ts'
import { durationText } from '../../../format/times.ts'
import { t } from '../../../locales/translate.ts'
import { useJobs } from '../../cache/use-jobs.ts'
import { useSave } from '../use-save.ts'
import { BetaSignIn } from './beta-sign-in.tsx'
import { AccountLine, LastRun } from './last-run.tsx'
import { useBetaAccount, useBetaSchedule } from './queries.ts'

const stale = [keys.betaMappings, keys.operations]
const hours = [0, 1, 6, 12, 24, 168] as const

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
          <Setting
            title={t('mappings.known')}
            note={!isOpen && <LastRun jobs={jobs} lastAt={data.lastCollectionUtc} />}
          >
            <span className="figure">{countText(data.gamesDiscovered)}</span>
          </Setting>
          <Setting
            title={t('mappings.account')}
            note={<AccountLine isSignedIn={data.isAuthenticated} name={data.displayName} />}
          >
            {!data.isAuthenticated && !isOpen && (
              <Button onClick={() => setIsOpen(true)}>{t('mappings.signIn')}</Button>
            )}
            {data.isAuthenticated && <Signed isRunning={jobs.isBusy} />}
          </Setting>
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
  const { change, isBusy } = useSave({ stale })
  if (data === undefined) return null
  const { refreshIntervalHours: current, nextRefreshIn } = data
  const put = (value: number) => unwrap(api.beta['game-mappings'].schedule.interval.put(value))
  const shown = hours.some((hour) => hour === current) ? hours : [current, ...hours]
  return (
    <Setting
      title={t('beta.interval')}
      note={
        current === 0 ? t('beta.noInterval') : t('beta.next', { time: durationText(nextRefreshIn) })
      }
    >
      <Choice
        value={String(current)}
        options={shown.map((hour) => ({
          value: String(hour),
          label: hour === 0 ? t('depots.off') : t('depots.everyHours', { hours: hour }),
        }))}
        disabled={isBusy}
        onChange={(value) => change(put, [Number(value), current])}
      />
    </Setting>
  )
}
