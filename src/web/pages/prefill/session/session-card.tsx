import { useNow } from '../../../app/use-now.ts'
import { Card } from '../../../components/card.tsx'
import { Facts } from '../../../components/facts.tsx'
import { Confirm, StateLine } from '../../../components/setting.tsx'
import { notify } from '../../../components/toast.tsx'
import { Button } from '../../../components/button.tsx'
import { durationText } from '../../../format/times.ts'
import { t, type Key } from '../../../locales/translate.ts'
import type { PrefillSession } from '../live/use-session.ts'
import { useStep } from '../use-step.ts'
import type { DaemonSession } from '../wire.ts'
import { reasonText } from '../../../format/reason-text.ts'

interface SessionCardProps {
  prefill: PrefillSession
  session: DaemonSession
}

/** How the address of the cache was found. */
const sources: Readonly<Record<string, Key>> = {
  config: 'prefill.fromConfig',
  dns: 'prefill.fromDns',
  dockerInspect: 'prefill.fromContainer',
  envFile: 'prefill.fromEnvFile',
  detected: 'prefill.fromDetected',
}

/** Whose session it is, how long it lasts, and its end. */
export function SessionCard({ prefill, session }: SessionCardProps) {
  const now = useNow(10_000)
  const { run, isBusy } = useStep()
  const left = Math.max(0, (Date.parse(session.expiresAt) - now.getTime()) / 1000)
  const source = sources[session.cacheAddressSource]
  const cache =
    session.cacheAddress === null
      ? t('prefill.fromNowhere')
      : `${session.cacheAddress}${source === undefined ? '' : ` · ${t(source)}`}`
  const clear = async () => {
    const { message } = await prefill.clearCache()
    notify(message ?? t('prefill.cleared'))
  }
  return (
    <Card title={t('prefill.session')}>
      <div className="mb-3">
        <State session={session} />
      </div>
      <Facts
        facts={[
          [t('prefill.account'), session.username],
          [t('prefill.left'), durationText(left)],
          [t('prefill.cache'), cache],
          [t('prefill.daemon'), session.containerName],
        ]}
      />
      {session.isShared && <p className="mb-3 text-small text-dim">{t('prefill.shared')}</p>}
      <div className="flex flex-wrap gap-2">
        <Confirm
          label={t('prefill.end')}
          consequence={t(session.isPrefilling ? 'prefill.endRunning' : 'prefill.endText')}
          isBusy={isBusy}
          onConfirm={() => run(prefill.end)}
        />
        <Button disabled={isBusy || session.isPrefilling} onClick={() => run(clear)}>
          {t('prefill.clear')}
        </Button>
      </div>
    </Card>
  )
}

function State({ session }: { session: DaemonSession }) {
  if (session.status === 'Error') {
    return (
      <StateLine tone="bad">
        {session.errorMessage === null ? t('prefill.broken') : reasonText(session.errorMessage)}
      </StateLine>
    )
  }
  if (session.isPrefilling) return <StateLine tone="good">{t('prefill.running')}</StateLine>
  const isIn = session.authState === 'Authenticated'
  return (
    <StateLine tone={isIn ? 'good' : 'attention'}>
      {t(isIn ? 'prefill.ready' : 'prefill.notSignedIn')}
    </StateLine>
  )
}
