import { useState } from 'react'
import { useParams } from '@tanstack/react-router'
import { Forbidden, Notice, Waiting } from '../../../components/notice.tsx'
import { t } from '../../../locales/translate.ts'
import { usePrefillSession, type PrefillSession } from '../live/use-session.ts'
import { platformFacts, isPlatform, type Platform } from '../../../../platforms/platforms.ts'
import { PrefillFrame } from '../prefill-page.tsx'
import { usePrefillAccess } from '../use-access.ts'
import { LibraryCard } from './library-card.tsx'
import { LogCard } from './log-card.tsx'
import { LoginCard } from './login-card.tsx'
import { NetworkCard } from './network-card.tsx'
import { NewSession } from './new-session.tsx'
import { ProgressCard } from './progress-card.tsx'
import { SessionCard } from './session-card.tsx'
import { usePrefillDefaults } from '../defaults.tsx'
import { usualChoice, type RunChoice } from './start-form.tsx'

/** One platform: start a session, sign in, choose games, run, and see what happens. */
export function Page() {
  const { platform = '' } = useParams({ strict: false })
  const allowed = usePrefillAccess()
  if (!isPlatform(platform)) {
    return (
      <PrefillFrame>
        <Notice title={t('prefill.noPlatform')} />
      </PrefillFrame>
    )
  }
  const name = platformFacts[platform].title
  return (
    <PrefillFrame title={t('prefill.of', { platform: name })}>
      {allowed.includes(platform) ? <Platform key={platform} platform={platform} /> : <Forbidden />}
    </PrefillFrame>
  )
}

function Platform({ platform }: { platform: Platform }) {
  const prefill = usePrefillSession(platform)
  const { view, isKnown, connection } = prefill
  if (!isKnown) return <Connecting isBroken={connection === 'offline'} />
  if (view.session === null) return <NewSession platform={platform} prefill={prefill} />
  return <Session platform={platform} prefill={prefill} />
}

/** Before the service has said whether there is a session. */
const Connecting = ({ isBroken }: { isBroken: boolean }) =>
  isBroken ? (
    <Notice tone="bad" title={t('trouble.unreachable')}>
      {t('trouble.unreachableText')}
    </Notice>
  ) : (
    <Waiting rows={4} />
  )

function Session({ platform, prefill }: { platform: Platform; prefill: PrefillSession }) {
  const { session } = prefill.view
  const defaults = usePrefillDefaults()
  const [own, setOwn] = useState<Partial<RunChoice>>({})
  if (session === null) return null
  const isReady = session.authState === 'Authenticated' && session.status === 'Active'
  const isIdle = isReady && !session.isPrefilling
  return (
    <div className="grid items-start gap-3.5 lg:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]">
      <div className="grid gap-3.5">
        {!isReady && platformFacts[platform].needsLogin && session.status === 'Active' && (
          <LoginCard platform={platform} prefill={prefill} />
        )}
        <ProgressCard prefill={prefill} />
        {isIdle && (
          <LibraryCard
            platform={platform}
            prefill={prefill}
            session={session}
            choice={{ ...usualChoice, ...defaults, ...own }}
            onChoice={(part) => setOwn({ ...own, ...part })}
          />
        )}
      </div>
      <div className="grid gap-3.5">
        <SessionCard prefill={prefill} session={session} />
        <NetworkCard session={session} />
        <LogCard lines={prefill.view.lines} />
      </div>
    </div>
  )
}
