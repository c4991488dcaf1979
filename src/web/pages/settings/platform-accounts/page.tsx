import { useId, useState, type ReactNode } from 'react'
import {
  hasAccounts,
  platformFacts,
  platformOf,
  platforms,
  type AccountPlatform,
} from '../../../../platforms/platforms.ts'
import { keys, api, unwrap } from '../../../api/client.ts'
import { useSave } from '../../../app/use-save.ts'
import { Button } from '../../../components/form-controls.tsx'
import { Card, Pending, Trouble, Row, StateLine } from '../../../components/card.tsx'
import { Action, NumberSetting } from '../../../components/setting-controls.tsx'
import { t, tn } from '../../../locales/translate.ts'
import { AccountRow } from '../../../components/platforms/account-row.tsx'
import {
  addAccount,
  forgetLogins,
  saveValidity,
  usePersistent,
  usePrefillAccounts,
  useValidity,
} from '../../../api/account-queries.ts'
import { SessionRow } from '../../../components/platforms/session-row.tsx'
import { loginText } from '../../../components/platforms/login-text.ts'
import { SettingsPage } from '../settings-page.tsx'
import { AlphaNames } from './alpha-account.tsx'
import { BetaNames } from './beta.tsx'
import { useJobs, type Job } from '../../../app/use-jobs.ts'
import { ScheduleLink } from '../../../components/schedule-link.tsx'
import { StatusLine } from '../../../components/figures.tsx'
import { dayText } from '../../../format/times.ts'
import { AccountRows } from './account-rows.tsx'
import { useEpsilonAccount } from '../integrations/queries.ts'

const names: Readonly<Record<AccountPlatform, () => ReactNode>> = {
  alpha: AlphaNames,
  beta: BetaNames,
  epsilon: EpsilonNames,
}
const notes = { alpha: 'steam.note', beta: 'beta.note', epsilon: 'epsilon.note' } as const
const validDays = [7, 30, 60, 90, 180, 365]

/** Every sign-in to a platform: those that prefill, and those that name games. */
export const Page = () => (
  <SettingsPage title={t('settings.platform-accounts')}>
    {platforms.filter(hasAccounts).map((platform) => (
      <PlatformCard key={platform} platform={platform} />
    ))}
    <AnonymousCard />
    <SignInsCard />
  </SettingsPage>
)

function PlatformCard({ platform }: { platform: AccountPlatform }) {
  const Names = names[platform]
  return (
    <Card title={platformFacts[platform].title} note={loginText(platform)}>
      <Purpose title={t('platformAccounts.prefill')}>
        <PrefillAccounts platform={platform} />
      </Purpose>
      <Purpose title={t('platformAccounts.names')} note={t(notes[platform])}>
        <Names />
      </Purpose>
    </Card>
  )
}

/** What the accounts below are for. */
function Purpose({ title, note, children }: { title: string; note?: string; children: ReactNode }) {
  const id = useId()
  return (
    <section aria-labelledby={id} className="mt-5 first-of-type:mt-0">
      <h3 id={id} className="font-medium">
        {title}
      </h3>
      {note !== undefined && <p className="max-w-[70ch] text-small text-dim">{note}</p>}
      <div className="mt-2">{children}</div>
    </section>
  )
}

function PrefillAccounts({ platform }: { platform: AccountPlatform }) {
  const { data, error } = usePrefillAccounts()
  const { data: sessions } = usePersistent()
  const { save, isBusy } = useSave({ stale: [keys.prefill] })
  /** The account whose sign-in is open. */
  const [openId, setOpenId] = useState<string | null>(null)
  const accounts = data?.filter((account) => account.platform === platform)
  const add = async () => setOpenId((await addAccount(platform)).id)
  const stored = sessions?.find(({ service }) => platformOf(service) === platform)?.storedAccount
  return (
    <>
      {accounts === undefined && <FirstAccount error={error} />}
      {accounts?.map((account, index) => (
        <AccountRow
          key={account.id}
          account={account}
          number={index + 1}
          storedAccount={account.isFirst ? (stored ?? null) : null}
          isOpen={account.id === openId}
          onOpen={(isOpen) => setOpenId(isOpen ? account.id : null)}
        />
      ))}
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5 pt-3">
        <Button
          disabled={isBusy || accounts?.some(({ canAdd }) => canAdd) !== true}
          onClick={() => save({ run: add })}
        >
          {t('prefill.accountAdd')}
        </Button>
        <p className="text-small text-dim">{t('platformAccounts.prefillText')}</p>
      </div>
    </>
  )
}

/** In the place of the first account, which there always is. */
const FirstAccount = ({ error }: { error: Error | null }) =>
  error === null ? (
    <Row title={t('prefill.accountNumber', { number: 1 })} note={<div className="skeleton h-4" />}>
      <Button disabled>{t('prefill.signIn')}</Button>
    </Row>
  ) : (
    <Trouble error={error} />
  )

/** Platforms whose games anyone may download. */
function AnonymousCard() {
  const { data, error } = usePersistent()
  const open = platforms.filter((platform) => !hasAccounts(platform))
  return (
    <Card title={t('platformAccounts.anonymous')} note={t('platformAccounts.anonymousText')}>
      {data === undefined && <Pending error={error} rows={open.length} />}
      {data !== undefined &&
        open.map((platform) => (
          <SessionRow
            key={platform}
            platform={platform}
            session={data.find(({ service }) => platformOf(service) === platform) ?? null}
          />
        ))}
    </Card>
  )
}

function SignInsCard() {
  const { data, error } = useValidity()
  return (
    <Card stale={[keys.prefill]} title={t('platformAccounts.all')}>
      {data === undefined && <Pending error={error} rows={2} />}
      {data !== undefined && (
        <NumberSetting
          id="prefill.validity"
          value={data.days}
          known={validDays}
          text={(days) => tn('prefill.days', days)}
          write={saveValidity}
        />
      )}
      <div className="pt-3">
        <Action
          label={t('prefill.forget')}
          consequence={t('prefill.forgetText')}
          run={forgetLogins}
          done={t('prefill.forgotten')}
        />
      </div>
    </Card>
  )
}

const stale = [keys.epsilonMappings, keys.operations]

/** The account that names of Xbox games come from. */
function EpsilonNames() {
  const { data, error } = useEpsilonAccount()
  const jobs = useJobs(['epsilonMapping'])
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
        note={
          data.expiresAtUtc !== null && (
            <span className="block">
              {t('epsilon.expires', { date: dayText(new Date(data.expiresAtUtc)) })}
            </span>
          )
        }
        signIn={isWaiting ? null : <Action label={t('mappings.signIn')} run={start} />}
        refresh={() => unwrap(api.ext.epsilon['game-mappings'].refresh.post())}
        signOut={() => unwrap(api.epsilon['game-mappings'].auth.delete())}
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
