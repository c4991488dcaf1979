import { useState } from 'react'
import { api, unwrap } from '../../../api/eden.ts'
import { keys } from '../../../api/keys.ts'
import { Button } from '../../../components/button.tsx'
import { Card } from '../../../components/card.tsx'
import { Pending } from '../../../components/notice.tsx'
import { Confirm, Row } from '../../../components/setting.tsx'
import { countText } from '../../../format/numbers.ts'
import { dayText } from '../../../format/times.ts'
import { t } from '../../../locales/translate.ts'
import { useJobs } from '../../../app/use-jobs.ts'
import { useSave } from '../../../app/use-save.ts'
import { EpsilonSignIn, type EpsilonCode } from './epsilon-sign-in.tsx'
import { AccountLine, LastRun } from './last-run.tsx'
import { useEpsilonAccount } from './queries.ts'

const stale = [keys.epsilonMappings, keys.operations]

/** Names of Xbox games, and the account they come from. */
export function EpsilonCard() {
  const { data, error } = useEpsilonAccount()
  const jobs = useJobs(['epsilonMapping'])
  const { save, isBusy } = useSave({ stale })
  const [code, setCode] = useState<EpsilonCode | null>(null)
  const start = async () => setCode(await unwrap(api.epsilon['game-mappings'].auth.login.post()))
  const job = jobs.recent.find(({ id }) => id === code?.operationId)
  const isOpen = data?.loginInProgress === true || job?.status === 'failed'
  const isWaiting = code !== null && data?.isAuthenticated === false && isOpen
  return (
    <Card title={t('epsilon.title')} note={t('epsilon.note')}>
      {data === undefined && <Pending error={error} rows={2} />}
      {data !== undefined && (
        <>
          <Row
            title={t('mappings.known')}
            note={!isWaiting && <LastRun jobs={jobs} lastAt={data.lastCollectionUtc} />}
          >
            <span className="figure">{countText(data.gamesDiscovered)}</span>
          </Row>
          <Row
            title={t('mappings.account')}
            note={
              <>
                <AccountLine isSignedIn={data.isAuthenticated} name={data.displayName} />
                {data.expiresAtUtc !== null && (
                  <span className="block">
                    {t('epsilon.expires', { date: dayText(new Date(data.expiresAtUtc)) })}
                  </span>
                )}
              </>
            }
          >
            {!data.isAuthenticated && !isWaiting && (
              <Button disabled={isBusy} onClick={() => save({ run: start })}>
                {t('mappings.signIn')}
              </Button>
            )}
            {data.isAuthenticated && <Signed isRunning={jobs.isBusy} />}
          </Row>
          {isWaiting && <EpsilonSignIn code={code} job={job} onDone={() => setCode(null)} />}
        </>
      )}
    </Card>
  )
}

/** What a signed-in account can do. */
function Signed({ isRunning }: { isRunning: boolean }) {
  const { save, isBusy } = useSave({ stale })
  const refresh = () => unwrap(api.ext.epsilon['game-mappings'].refresh.post())
  return (
    <>
      <Button
        disabled={isBusy || isRunning}
        onClick={() => save({ run: refresh, done: t('mappings.refreshing') })}
      >
        {t('mappings.apply')}
      </Button>
      <Confirm
        label={t('action.signOut')}
        consequence={t('epsilon.signOutConsequence')}
        isBusy={isBusy}
        onConfirm={() =>
          save({
            run: () => unwrap(api.epsilon['game-mappings'].auth.delete()),
            done: t('epsilon.forgotten'),
          })
        }
      />
    </>
  )
}
