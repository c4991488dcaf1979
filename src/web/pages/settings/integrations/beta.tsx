import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, unwrap } from '../../../api/eden.ts'
import { keys } from '../../../api/keys.ts'
import { useJobs } from '../../../app/use-jobs.ts'
import { useSave } from '../../../app/use-save.ts'
import { Button } from '../../../components/button.tsx'
import { Card } from '../../../components/card.tsx'
import { Field } from '../../../components/field.tsx'
import { Form } from '../../../components/form.tsx'
import { Pending } from '../../../components/notice.tsx'
import { Problem } from '../../../components/problem.tsx'
import { Action } from '../../../components/setting-controls.tsx'
import { Row } from '../../../components/setting.tsx'
import { StatusLine } from '../../../components/status-line.tsx'
import { say } from '../../../components/toast.tsx'
import { countText } from '../../../format/numbers.ts'
import { durationText } from '../../../format/times.ts'
import { t } from '../../../locales/translate.ts'
import { ScheduleLink } from '../schedules/schedule-link.tsx'
import { AccountLine, LastRun } from './last-run.tsx'
import { useBetaAccount, useBetaSchedule } from './queries.ts'

const stale = [keys.betaMappings, keys.operations]

/** Names of Epic games: the account they come from, and when they are refreshed. */
export function BetaCard() {
  const { data, error } = useBetaAccount()
  const jobs = useJobs(['betaMapping'])
  const [isOpen, setIsOpen] = useState(false)
  return (
    <Card title={t('beta.title')} note={t('beta.note')}>
      {data === undefined && <Pending error={error} rows={3} />}
      {data !== undefined && (
        <>
          <Row
            title={t('mappings.known')}
            note={!isOpen && <LastRun jobs={jobs} lastAt={data.lastCollectionUtc} />}
          >
            <span className="figure">{countText(data.gamesDiscovered)}</span>
          </Row>
          <Row
            title={t('mappings.account')}
            note={<AccountLine isSignedIn={data.isAuthenticated} name={data.displayName} />}
          >
            {!data.isAuthenticated && !isOpen && (
              <Button onClick={() => setIsOpen(true)}>{t('mappings.signIn')}</Button>
            )}
            {data.isAuthenticated && <Signed isRunning={jobs.isBusy} />}
          </Row>
          {!data.isAuthenticated && isOpen && <BetaSignIn onDone={() => setIsOpen(false)} />}
          {data.isAuthenticated && <Interval />}
        </>
      )}
    </Card>
  )
}

/** What a signed-in account can do. */
function Signed({ isRunning }: { isRunning: boolean }) {
  const saving = useSave({ stale })
  const refresh = () => unwrap(api.ext.beta['game-mappings'].refresh.post())
  const cancel = () => unwrap(api.beta['game-mappings'].schedule.refresh.delete())
  return (
    <>
      {isRunning ? (
        <Action
          label={t('action.cancel')}
          run={cancel}
          done={t('mappings.cancelled')}
          saving={saving}
        />
      ) : (
        <Action
          label={t('mappings.apply')}
          run={refresh}
          done={t('mappings.refreshing')}
          saving={saving}
        />
      )}
      <Action
        label={t('action.signOut')}
        consequence={t('beta.signOutConsequence')}
        run={() => unwrap(api.beta['game-mappings'].auth.delete())}
        done={t('beta.forgotten')}
        saving={saving}
      />
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
      <ScheduleLink />
    </Row>
  )
}

/** A link to Epic's page, and a field for the code that it shows. */
function BetaSignIn({ onDone }: { onDone: () => void }) {
  const queries = useQueryClient()
  const [code, setCode] = useState('')
  const link = useQuery({
    queryKey: [...keys.betaMappings, 'link'],
    queryFn: () => unwrap(api.beta['game-mappings'].auth.login.post()),
    staleTime: Infinity,
  })
  const signIn = useMutation({
    mutationFn: () =>
      unwrap(api.beta['game-mappings'].auth.complete.post({ authorizationCode: code.trim() })),
    onSuccess: async ({ gamesDiscovered }) => {
      say(t('beta.done', { count: countText(gamesDiscovered) }))
      onDone()
      await queries.invalidateQueries({ queryKey: keys.betaMappings })
    },
  })
  return (
    <Form onSubmit={() => signIn.mutate()} className="max-w-[520px] space-y-4 pt-4">
      <p className="text-[13px]">{t('beta.steps')}</p>
      <p>
        <a className="link" href={link.data?.authorizationUrl} target="_blank" rel="noreferrer">
          {t('beta.open')}
        </a>
      </p>
      <Field
        label={t('beta.code')}
        name="epic-code"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={500}
        required
        readOnly={signIn.isPending}
        value={code}
        onChange={({ target }) => setCode(target.value)}
        hint={t('beta.codeHint')}
      />
      <Problem error={signIn.error ?? link.error} />
      {signIn.isPending && (
        <StatusLine tone="good" pulsing>
          {t('beta.collecting')}
        </StatusLine>
      )}
      <div className="flex gap-2">
        <Button
          type="submit"
          className="primary px-5"
          disabled={signIn.isPending || code.trim() === ''}
        >
          {t('beta.send')}
        </Button>
        {!signIn.isPending && (
          <Button className="h-[38px]" onClick={onDone}>
            {t('action.cancel')}
          </Button>
        )}
      </div>
    </Form>
  )
}
