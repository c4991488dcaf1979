import { api, unwrap } from '../../../api/eden.ts'
import { keys } from '../../../api/keys.ts'
import { Button } from '../../../components/button.tsx'
import { StateLine } from '../../../components/setting.tsx'
import { StatusLine } from '../../../components/status-line.tsx'
import { t } from '../../../locales/translate.ts'
import type { Job } from '../../../app/use-jobs.ts'
import { useSave } from '../../../app/use-save.ts'

export interface EpsilonCode {
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
export function EpsilonSignIn({ code, job, onDone }: EpsilonSignInProps) {
  const { save, isBusy } = useSave({ stale: [keys.epsilonMappings, keys.operations] })
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
