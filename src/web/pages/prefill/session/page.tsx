import { useState } from 'react'
import { useParams } from '@tanstack/react-router'
import {
  Forbidden,
  Notice,
  Trouble,
  Waiting,
  Card,
  Problem,
  StateLine,
} from '../../../components/card.tsx'
import { useStatus } from '../../../api/queries.ts'
import { known, t, type Key } from '../../../locales/translate.ts'
import { usePrefillSession, type PrefillSession } from '../live/use-session.ts'
import { platformFacts, isPlatform, type Platform } from '../../../../platforms/platforms.ts'
import { PrefillFrame } from '../prefill-page.tsx'
import { usePrefillAccess, usePlatforms } from '../queries.ts'
import { LibraryCard } from './library-card.tsx'
import { ProgressCard } from './progress-card.tsx'
import { usePrefillDefaults } from '../defaults.tsx'
import { usualChoice, type RunChoice } from './start-form.tsx'
import { type Tone, Facts } from '../../../components/figures.tsx'
import type { DaemonSession } from '../wire.ts'
import { useNow } from '../../../app/clock.ts'
import { notify } from '../../../components/toast.tsx'
import { durationText, clockText, fullMomentText } from '../../../format/times.ts'
import { reasonText } from '../../../format/reason-text.ts'
import { PlatformProblem } from '../platform-problem.tsx'
import { loginText } from '../../../components/platforms/login-text.ts'
import type { Line, LineKind } from '../live/session-state.ts'
import { questions } from '../../../components/platforms/questions.ts'
import { ChallengeForm } from '../../../components/platforms/challenge-form.tsx'
import { Action } from '../../../components/setting-controls.tsx'
import { useSave } from '../../../app/use-save.ts'

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
      {allowed.includes(platform) ? (
        <PlatformPage key={platform} platform={platform} />
      ) : (
        <Forbidden />
      )}
    </PrefillFrame>
  )
}

function PlatformPage({ platform }: { platform: Platform }) {
  const prefill = usePrefillSession(platform)
  const { view, isKnown, connection } = prefill
  if (!isKnown) return <Connecting connection={connection} />
  if (view.session === null) return <NewSession prefill={prefill} />
  return <Session prefill={prefill} />
}

/** Before the service has said whether there is a session. */
function Connecting({ connection }: Pick<PrefillSession, 'connection'>) {
  const { error } = useStatus()
  if (connection === 'connecting' || connection === 'live') return <Waiting rows={4} />
  if (error !== null) return <Trouble error={error} />
  return (
    <Notice tone="attention" title={t('prefill.noConnection')}>
      {t('prefill.noConnectionText')}
    </Notice>
  )
}

function Session({ prefill }: { prefill: PrefillSession }) {
  const { platform, view } = prefill
  const { session } = view
  const defaults = usePrefillDefaults()
  const [own, setOwn] = useState<Partial<RunChoice>>({})
  if (session === null) return null
  const isReady = session.authState === 'Authenticated' && session.status === 'Active'
  const isIdle = isReady && !session.isPrefilling
  return (
    <div className="grid items-start gap-3.5 lg:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]">
      <div className="grid gap-3.5">
        {!isReady && platformFacts[platform].needsLogin && session.status === 'Active' && (
          <LoginCard prefill={prefill} />
        )}
        <ProgressCard prefill={prefill} />
        {isIdle && (
          <LibraryCard
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

type Diagnostics = NonNullable<DaemonSession['networkDiagnostics']>

const reached = (isReached: boolean | null, label: Key): [Tone, string] => {
  const state = isReached === null ? 'prefill.unknown' : isReached ? 'prefill.yes' : 'prefill.no'
  return [isReached === true ? 'good' : 'quiet', `${t(label)}: ${t(state)}`]
}

function dnsLine({ domain, success, isPrivateIp, resolvedIps }: Diagnostics['dnsResults'][number]) {
  const where = success ? resolvedIps.join(', ') : t('prefill.unresolved')
  return [success && isPrivateIp ? 'good' : 'attention', `${domain}: ${where}`] as const
}

/** What the daemon reaches from where it runs, and what to do about faults. */
function NetworkCard({ session }: { session: DaemonSession }) {
  const found = session.networkDiagnostics
  if (found === null) return null
  const lines = [
    [
      found.internetConnectivity ? 'good' : 'bad',
      t(found.internetConnectivity ? 'prefill.internet' : 'prefill.noInternet'),
    ] as const,
    reached(found.internetConnectivityIpv4, 'prefill.ipv4'),
    reached(found.internetConnectivityIpv6, 'prefill.ipv6'),
    ...found.dnsResults.map(dnsLine),
  ]
  return (
    <Card title={t('prefill.network')}>
      {found.advice.map(({ key, text, values }) => {
        const own = known(`prefill.advice.${key}`)
        return (
          <p key={key} className="mb-3 rounded-control bg-raise px-3 py-2.5 text-[13px]">
            <StateLine tone="attention">{own === null ? text : t(own, values)}</StateLine>
          </p>
        )
      })}
      <ul className="space-y-1 text-[13px]">
        {lines.map(([tone, text]) => (
          <li key={text} className="break-words">
            <StateLine tone={tone}>{text}</StateLine>
          </li>
        ))}
      </ul>
    </Card>
  )
}

/** Whose session it is, how long it lasts, and its end. */
function SessionCard({ prefill, session }: { prefill: PrefillSession; session: DaemonSession }) {
  const now = useNow(10_000)
  const left = Math.max(0, (Date.parse(session.expiresAt) - now.getTime()) / 1000)
  const source = known(`prefill.from.${session.cacheAddressSource}`)
  const cache =
    session.cacheAddress === null
      ? t('prefill.fromNowhere')
      : `${session.cacheAddress}${source === null ? '' : ` · ${t(source)}`}`
  const clear = async () => {
    const { message } = await prefill.clearCache()
    notify(message ?? t('prefill.cleared'))
  }
  return (
    <Card title={t('prefill.session')} stale={[]}>
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
        <Action
          label={t('prefill.end')}
          consequence={t(session.isPrefilling ? 'prefill.endRunning' : 'prefill.endText')}
          run={prefill.end}
        />
        <Action label={t('prefill.clear')} run={clear} disabled={session.isPrefilling} />
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

/** Nobody prefills here yet: what a session is, and its start. */
function NewSession({ prefill }: { prefill: PrefillSession }) {
  const saving = useSave({ stale: [] })
  const { data } = usePlatforms()
  const state = data?.platforms.find((one) => one.platform === prefill.platform)
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
        <p className="mb-4 max-w-[70ch] text-dim">{loginText(prefill.platform)}</p>
        {state !== undefined && (
          <PlatformProblem state={state} className="mb-3 block max-w-[70ch]" />
        )}
        <Problem error={saving.error} className="mb-3" />
        <div>
          <Action
            className="primary px-5"
            label={t('prefill.start')}
            busy={t('prefill.starting')}
            run={prefill.create}
            saving={saving}
            disabled={state?.isAvailable === false}
          />
        </div>
      </Card>
      {lines.length > 0 && <LogCard lines={lines} />}
    </div>
  )
}

/** Lines that are shown; the newest first. */
const shownMax = 100

function textOf(kind: LineKind, subject: string): string {
  const label = kind === 'loginNeeded' ? questions[subject]?.label : undefined
  return t(`prefill.line.${kind}`, {
    subject: label === undefined ? reasonText(subject) : t(label),
  })
}

/** What has happened since the page was opened. */
function LogCard({ lines }: { lines: readonly Line[] }) {
  const shown = lines.slice(-shownMax).toReversed()
  return (
    <Card title={t('prefill.log')}>
      {shown.length === 0 && <p className="text-small text-dim">{t('prefill.logEmpty')}</p>}
      <ol aria-live="polite" className="max-h-[340px] space-y-1.5 overflow-y-auto" tabIndex={0}>
        {shown.map(({ at, kind, subject }, index) => (
          <li key={lines.length - index} className="flex gap-2.5 text-[13px]">
            <time
              dateTime={new Date(at).toISOString()}
              title={fullMomentText(new Date(at))}
              className="figure flex-none text-dim"
            >
              {clockText(new Date(at))}
            </time>
            <span className="min-w-0 break-words">{textOf(kind, subject)}</span>
          </li>
        ))}
      </ol>
    </Card>
  )
}

/** The sign-in of a session: one question of the platform after the other. */
function LoginCard({ prefill }: { prefill: PrefillSession }) {
  const { platform, view, login, answer, cancelLogin } = prefill
  const { challenge, isAskedAgain, loginProblem, session } = view
  const start = useSave({ stale: [] })
  const reply = useSave({ stale: [] })
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
          onAnswer={(credential) => reply.save({ run: () => answer(challenge, credential) })}
          onCancel={() => reply.save({ run: cancelLogin })}
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
            <Action label={t('action.cancel')} run={cancelLogin} saving={reply} />
          ) : (
            <Action
              className="primary px-5"
              label={t('prefill.signIn')}
              run={login}
              saving={start}
            />
          )}
        </div>
      )}
      <Problem error={start.error ?? reply.error} className="mt-3" />
    </Card>
  )
}
