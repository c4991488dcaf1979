import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, unwrap, keys } from '../../../api/client.ts'
import { useSave } from '../../../app/use-save.ts'
import { Button, Field, verbatim } from '../../../components/form-controls.tsx'
import { Pending, Row } from '../../../components/card.tsx'
import { StatusLine } from '../../../components/figures.tsx'
import { notify } from '../../../components/toast.tsx'
import { countText } from '../../../format/numbers.ts'
import { durationText } from '../../../format/times.ts'
import { t } from '../../../locales/translate.ts'
import { ScheduleLink } from '../../../components/schedule-link.tsx'
import { AccountRows } from './account-rows.tsx'
import { SignInForm } from './sign-in-form.tsx'
import { useBetaAccount, useBetaSchedule } from '../integrations/queries.ts'

/** The account that names of Epic games come from, and when they are refreshed. */
export function BetaNames() {
  const { data, error } = useBetaAccount()
  const [isOpen, setIsOpen] = useState(false)
  const { schedule, auth } = api.beta['game-mappings']
  if (data === undefined) return <Pending error={error} rows={4} />
  return (
    <>
      <AccountRows
        platform="beta"
        account={data}
        signIn={
          isOpen ? null : <Button onClick={() => setIsOpen(true)}>{t('mappings.signIn')}</Button>
        }
        refresh={() => unwrap(api.ext.beta['game-mappings'].refresh.post())}
        cancel={() => unwrap(schedule.refresh.delete())}
        signOut={() => unwrap(auth.delete())}
      />
      {!data.isAuthenticated && isOpen && <BetaSignIn onDone={() => setIsOpen(false)} />}
      {data.isAuthenticated && <Interval />}
    </>
  )
}

function Interval() {
  const { data } = useBetaSchedule()
  if (data === undefined) return null
  const { refreshIntervalHours: current, nextRefreshIn } = data
  return (
    <Row
      title={t('beta.interval')}
      note={
        current === 0 ? t('beta.noInterval') : t('beta.next', { time: durationText(nextRefreshIn) })
      }
    >
      <ScheduleLink of="betaMapping" />
    </Row>
  )
}

/** A link to Epic's page, and a field for the code that it shows. */
function BetaSignIn({ onDone }: { onDone: () => void }) {
  const { save, isBusy, error } = useSave({ stale: [keys.betaMappings], showsError: true })
  const [code, setCode] = useState('')
  const link = useQuery({
    queryKey: [...keys.betaMappings, 'link'],
    queryFn: () => unwrap(api.beta['game-mappings'].auth.login.post()),
    staleTime: Infinity,
  })
  const { complete } = api.beta['game-mappings'].auth
  const signIn = async () => {
    const { gamesDiscovered } = await unwrap(complete.post({ authorizationCode: code.trim() }))
    notify(t('beta.done', { count: countText(gamesDiscovered) }))
  }
  return (
    <SignInForm
      error={error ?? link.error}
      label={t('beta.send')}
      canSend={!isBusy && code.trim() !== ''}
      onSend={() => save({ run: signIn, after: onDone })}
      onCancel={isBusy ? null : onDone}
      waiting={
        isBusy && (
          <StatusLine tone="good" pulsing>
            {t('beta.collecting')}
          </StatusLine>
        )
      }
    >
      <p className="text-[13px]">{t('beta.steps')}</p>
      <p>
        <a className="link" href={link.data?.authorizationUrl} target="_blank" rel="noreferrer">
          {t('beta.open')}
        </a>
      </p>
      <Field
        label={t('beta.code')}
        name="epic-code"
        {...verbatim}
        maxLength={500}
        required
        readOnly={isBusy}
        value={code}
        onChange={({ target }) => setCode(target.value)}
        hint={t('beta.codeHint')}
      />
    </SignInForm>
  )
}
