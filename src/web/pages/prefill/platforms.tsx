import { Link } from '@tanstack/react-router'
import { ChevronRight } from 'lucide-react'
import { StateLine, Forbidden, Pending } from '../../components/card.tsx'
import { Mark } from '../../components/artwork.tsx'
import { t, tn } from '../../locales/translate.ts'
import { platformFacts } from '../../../platforms/platforms.ts'
import { useIsAccount } from '../../api/queries.ts'
import { DefaultsCard } from './defaults.tsx'
import { PlatformProblem } from './platform-problem.tsx'
import { PrefillFrame } from './prefill-page.tsx'
import { loginText } from '../../components/platforms/login-text.ts'
import { usePlatforms, type PlatformState, usePrefillAccess } from './queries.ts'

/** Choose a platform: how it is run, whether that works now, whether it needs a sign-in. */
export function Page() {
  const allowed = usePrefillAccess()
  const { data, error } = usePlatforms()
  const isAccount = useIsAccount()
  if (allowed.length === 0) {
    return (
      <PrefillFrame>
        <Forbidden />
      </PrefillFrame>
    )
  }
  return (
    <PrefillFrame>
      <p className="mb-3.5 max-w-[70ch] text-dim">{t('prefill.what')}</p>
      {data === undefined && <Pending error={error} rows={5} />}
      <ul className="card divide-y divide-line overflow-hidden empty:hidden">
        {data?.platforms
          .filter(({ platform }) => allowed.includes(platform))
          .map((state) => (
            <Row key={state.platform} state={state} />
          ))}
      </ul>
      {isAccount && <DefaultsCard />}
    </PrefillFrame>
  )
}

function Row({ state }: { state: PlatformState }) {
  const { platform } = state
  const name = platformFacts[platform].title
  return (
    <li>
      <Link
        to="/prefill/$platform"
        params={{ platform }}
        className="flex items-center gap-3.5 px-[18px] py-3.5 hover:bg-raise focus-visible:-outline-offset-2"
      >
        <Mark name={name} service={platformFacts[platform].services[0]} />
        <span className="min-w-0 flex-1">
          <span className="block font-medium">{name}</span>
          <span className="block text-small text-dim">{loginText(platform)}</span>
          <PlatformProblem state={state} className="mt-1 block text-small" />
        </span>
        <span className="min-w-0 flex-1 text-small text-dim max-sm:hidden">
          <Availability state={state} />
        </span>
        <ChevronRight size={16} className="flex-none text-dim" />
      </Link>
    </li>
  )
}

/** Who runs the daemon, and whether that works now. */
function Availability({ state }: { state: PlatformState }) {
  const { transport, isAvailable, activeSessions } = state
  const isRunning = activeSessions > 0
  return (
    <StateLine tone={isAvailable ? (isRunning ? 'good' : 'quiet') : 'attention'}>
      {t(isAvailable ? `prefill.by.${transport}` : 'prefill.unavailable')}
      {isRunning && ` · ${tn('prefill.active', activeSessions)}`}
    </StateLine>
  )
}
