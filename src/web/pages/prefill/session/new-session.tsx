import { Button } from '../../../components/button.tsx'
import { Card } from '../../../components/card.tsx'
import { Problem } from '../../../components/problem.tsx'
import { StateLine } from '../../../components/setting.tsx'
import { t } from '../../../locales/translate.ts'
import type { PrefillSession } from '../live/use-session.ts'
import { PlatformProblem } from '../platform-problem.tsx'
import type { Platform } from '../../../../platforms/platforms.ts'
import { loginText } from '../../../components/platforms/login-text.ts'
import { usePlatforms } from '../queries.ts'
import { useStep } from '../use-step.ts'
import { reasonText } from '../../../format/reason-text.ts'
import { LogCard } from './log-card.tsx'

interface NewSessionProps {
  platform: Platform
  prefill: PrefillSession
}

/** Nobody prefills here yet: what a session is, and its start. */
export function NewSession({ platform, prefill }: NewSessionProps) {
  const { run, isBusy, error } = useStep()
  const { data } = usePlatforms()
  const state = data?.platforms.find((one) => one.platform === platform)
  const { ended, lines } = prefill.view
  return (
    <div className="grid gap-3.5">
      <Card title={t('prefill.newTitle')}>
        {ended !== null && (
          <div className="mb-3">
            <StateLine tone="attention">
              {ended === ''
                ? t('prefill.endedPlain')
                : t('prefill.ended', { reason: reasonText(ended) })}
            </StateLine>
          </div>
        )}
        <p className="mb-1.5 max-w-[70ch]">{t('prefill.newText')}</p>
        <p className="mb-4 max-w-[70ch] text-dim">{loginText(platform)}</p>
        {state !== undefined && (
          <PlatformProblem state={state} className="mb-3 block max-w-[70ch]" />
        )}
        <Problem error={error} className="mb-3" />
        <div>
          <Button
            className="primary px-5"
            disabled={isBusy || state?.isAvailable === false}
            onClick={() => run(prefill.create)}
          >
            {t(isBusy ? 'prefill.starting' : 'prefill.start')}
          </Button>
        </div>
      </Card>
      {lines.length > 0 && <LogCard lines={lines} />}
    </div>
  )
}
