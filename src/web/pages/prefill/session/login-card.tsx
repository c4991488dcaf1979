import { Button } from '../../../components/form-controls.tsx'
import { Card } from '../../../components/card.tsx'
import { Problem } from '../../../components/problem.tsx'
import { StateLine } from '../../../components/setting.tsx'
import { t } from '../../../locales/translate.ts'
import type { PrefillSession } from '../live/use-session.ts'
import type { Platform } from '../../../../platforms/platforms.ts'
import { loginText } from '../../../components/platforms/login-text.ts'
import { useStep } from '../use-step.ts'
import { ChallengeForm } from '../../../components/platforms/challenge-form.tsx'

/** The sign-in of a session: one question of the platform after the other. */
export function LoginCard({ platform, prefill }: { platform: Platform; prefill: PrefillSession }) {
  const { view, login, answer, cancelLogin } = prefill
  const { challenge, isAskedAgain, loginProblem, session } = view
  const start = useStep()
  const reply = useStep()
  const isWaiting = session?.authState !== 'NotAuthenticated'
  return (
    <Card title={t('prefill.signIn')}>
      <p className="mb-3 max-w-[70ch] text-dim">{loginText(platform)}</p>
      {loginProblem !== null && (
        <div className="mb-3" role="alert">
          <StateLine tone="attention">
            {t('prefill.signInFailed', { reason: loginProblem })}
          </StateLine>
        </div>
      )}
      {challenge !== null && (
        <ChallengeForm
          key={challenge.challengeId}
          challenge={challenge}
          isBusy={reply.isBusy}
          isAskedAgain={isAskedAgain}
          onAnswer={(credential) => reply.run(() => answer(challenge, credential))}
          onCancel={() => reply.run(cancelLogin)}
        />
      )}
      {challenge === null && isWaiting && (
        <p role="status" className="mb-3">
          <StateLine tone="good">{t('prefill.signingIn')}</StateLine>
        </p>
      )}
      {challenge === null && (
        <div className="flex flex-wrap gap-2">
          {isWaiting ? (
            <Button disabled={reply.isBusy} onClick={() => reply.run(cancelLogin)}>
              {t('action.cancel')}
            </Button>
          ) : (
            <Button
              className="primary px-5"
              disabled={start.isBusy}
              onClick={() => start.run(login)}
            >
              {t('prefill.signIn')}
            </Button>
          )}
        </div>
      )}
      <Problem error={start.error ?? reply.error} className="mt-3" />
    </Card>
  )
}
