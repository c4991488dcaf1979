import { useState } from 'react'
import { api, unwrap } from '../../../api/eden.ts'
import { keys } from '../../../api/keys.ts'
import { useJobs, type Job } from '../../../app/use-jobs.ts'
import { useSave } from '../../../app/use-save.ts'
import { Button } from '../../../components/button.tsx'
import { Pending } from '../../../components/notice.tsx'
import { Action } from '../../../components/setting-controls.tsx'
import { ScheduleLink } from '../../../components/schedule-link.tsx'
import { Row, StateLine } from '../../../components/setting.tsx'
import { StatusLine } from '../../../components/status-line.tsx'
import { dayText } from '../../../format/times.ts'
import { t } from '../../../locales/translate.ts'
import { AccountRows } from './account-rows.tsx'
import { useEpsilonAccount } from '../integrations/queries.ts'

const stale = [keys.epsilonMappings, keys.operations]

/** The account that names of Xbox games come from. */
export function EpsilonNames() {
  const { data, error } = useEpsilonAccount()
  const jobs = useJobs(['epsilonMapping'])
  const saving = useSave({ stale })
  const [code, setCode] = useState<EpsilonCode | null>(null)
  const start = async () => setCode(await unwrap(api.epsilon['game-mappings'].auth.login.post()))
  const job = jobs.recent.find(({ id }) => id === code?.operationId)
  const isOpen = data?.loginInProgress === true || job?.status === 'failed'
  const isWaiting = code !== null && data?.isAuthenticated === false && isOpen
  if (data === undefined) return <Pending error={error} rows={3} />
  return (
    <>
      <AccountRows
        platform="epsilon"
        account={data}
        jobs={jobs}
        note={
          data.expiresAtUtc !== null && (
            <span className="block">
              {t('epsilon.expires', { date: dayText(new Date(data.expiresAtUtc)) })}
            </span>
          )
        }
        signIn={
          isWaiting ? null : <Action label={t('mappings.signIn')} run={start} saving={saving} />
        }
        refresh={() => unwrap(api.ext.epsilon['game-mappings'].refresh.post())}
        signOut={() => unwrap(api.epsilon['game-mappings'].auth.delete())}
        saving={saving}
      />
      {data.isAuthenticated && (
        <Row title={t('schedules.interval')}>
          <ScheduleLink of="epsilonMapping" />
        </Row>
      )}
      {isWaiting && <EpsilonSignIn code={code} job={job} onDone={() => setCode(null)} />}
    </>
  )
}

interface EpsilonCode {
  userCode: string
  verificationUri: string
  operationId: string
}

interface EpsilonSignInProps {
  code: EpsilonCode
  /** The sign-in's job once it has ended. */
  job: Job | undefined
  onDone: () => void
}

/** The code and where to type it; the card closes this when the service is signed in. */
function EpsilonSignIn({ code, job, onDone }: EpsilonSignInProps) {
  const { save, isBusy } = useSave({ stale })
  const cancel = () => unwrap(api.epsilon['game-mappings'].auth.cancel.post())
  const hasFailed = job?.status === 'failed'
  return (
    <div className="max-w-[520px] space-y-4 pt-4">
      <p className="text-[13px]">{t('epsilon.steps')}</p>
      <p>
        <a className="link break-all" href={code.verificationUri} target="_blank" rel="noreferrer">
          {code.verificationUri}
        </a>
      </p>
      <div>
        <p className="mb-1.5 text-small font-medium">{t('epsilon.code')}</p>
        <p className="font-mono text-[24px] tracking-[0.12em] select-all">{code.userCode}</p>
      </div>
      {hasFailed ? (
        <StateLine tone="attention">{t('epsilon.ended', { reason: job.error ?? '' })}</StateLine>
      ) : (
        <StatusLine tone="good" pulsing>
          {t('epsilon.waiting')}
        </StatusLine>
      )}
      <Button
        disabled={isBusy}
        onClick={() =>
          hasFailed ? onDone() : save({ run: cancel, done: t('epsilon.cancelled'), after: onDone })
        }
      >
        {t(hasFailed ? 'action.close' : 'action.cancel')}
      </Button>
    </div>
  )
}
