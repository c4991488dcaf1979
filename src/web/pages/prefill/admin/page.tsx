import { Forbidden, Notice, Pending, Card, Row } from '../../../components/card.tsx'
import { Table } from '../../../components/table.tsx'
import { Time } from '../../../components/figures.tsx'
import { useNow } from '../../../app/clock.ts'
import { keys } from '../../../api/client.ts'
import { useIsAccount } from '../../../api/queries.ts'
import { countText } from '../../../format/numbers.ts'
import { t, tn } from '../../../locales/translate.ts'
import { useSave } from '../../../app/use-save.ts'
import { PrefillFrame } from '../prefill-page.tsx'
import {
  forgetCache,
  useCachedApps,
  banName,
  lift,
  useBans,
  usePrefillSessions,
  type Ban,
} from './queries.ts'
import { SessionsCard } from './sessions-card.tsx'
import { Button, Field, useTexts, Form } from '../../../components/form-controls.tsx'
import { momentText } from '../../../format/times.ts'
import { Action } from '../../../components/setting-controls.tsx'

/** All sessions with what they downloaded, bans, and the record of what is up to date. */
export function Page() {
  const isAccount = useIsAccount()
  return (
    <PrefillFrame>
      {isAccount ? (
        <div className="grid gap-3.5">
          <SessionsCard />
          <BansCard />
          <RecordCard />
        </div>
      ) : (
        <Forbidden />
      )}
    </PrefillFrame>
  )
}

/** Rows that are shown; the last prefilled first. */
const shownMax = 200

/** Games that a run skips because their current version was prefilled. */
function RecordCard() {
  const { data, error } = useCachedApps()
  const now = useNow(60_000)
  return (
    <Card title={t('prefill.record')} note={t('prefill.recordNote')} stale={[keys.prefill]}>
      {data === undefined && <Pending error={error} rows={1} />}
      {data?.length === 0 && <Notice title={t('prefill.recordEmpty')} />}
      {data !== undefined && data.length > 0 && (
        <>
          <p>{tn('prefill.recorded', data.length)}</p>
          <Table
            label={t('prefill.record')}
            head={[t('prefill.game'), t('prefill.account'), t('prefill.recordedAt')]}
            ends={[2]}
            className="mt-3 mb-3"
          >
            {data.slice(0, shownMax).map(({ appId, appName, cachedBy, cachedAtUtc }) => (
              <tr key={appId} className="border-b border-line last:border-b-0">
                <td className="max-w-[260px] truncate py-1.5 pr-3">{appName ?? appId}</td>
                <td className="py-1.5 pr-3">{cachedBy}</td>
                <td className="py-1.5 text-right whitespace-nowrap">
                  <Time at={cachedAtUtc} now={now} />
                </td>
              </tr>
            ))}
          </Table>
          <div>
            <Action
              label={t('prefill.recordClear')}
              consequence={t('prefill.recordClearText', { count: countText(data.length) })}
              run={forgetCache}
              done={t('prefill.recordCleared')}
            />
          </div>
        </>
      )}
    </Card>
  )
}

/** Accounts that must not prefill, and a form to add one. */
function BansCard() {
  const { data, error } = useBans()
  const { data: page } = usePrefillSessions(1)
  const known = (page?.sessions ?? []).flatMap(({ username }) => username ?? [])
  const { save, isBusy } = useSave({ stale: [keys.prefill] })
  const { texts, setTexts, bind } = useTexts({ name: '', reason: '' })
  const { name, reason } = texts
  const add = () =>
    save({
      run: () => banName(name.trim(), reason.trim()),
      done: t('prefill.banned'),
      after: () => setTexts({ name: '', reason: '' }),
    })
  return (
    <Card title={t('prefill.bans')} note={t('prefill.bansNote')}>
      {data === undefined && <Pending error={error} rows={2} />}
      {data?.length === 0 && <Notice title={t('prefill.noBans')} />}
      {data?.map((ban) => (
        <Entry key={ban.id} ban={ban} />
      ))}
      <datalist id="known-accounts">
        {[...new Set(known)].map((account) => (
          <option key={account} value={account} />
        ))}
      </datalist>
      <Form onSubmit={add} className="grid items-start gap-3 pt-4 sm:grid-cols-[1fr_1fr_auto]">
        <Field
          label={t('prefill.banName')}
          autoComplete="off"
          maxLength={100}
          required
          list="known-accounts"
          hint={t('prefill.banNameHint')}
          {...bind('name')}
        />
        <Field
          label={t('prefill.banReason')}
          autoComplete="off"
          maxLength={500}
          {...bind('reason')}
        />
        <Button
          type="submit"
          className="h-[38px] justify-self-start sm:mt-[25px]"
          disabled={isBusy || name.trim() === ''}
        >
          {t('prefill.ban')}
        </Button>
      </Form>
    </Card>
  )
}

function Entry({ ban }: { ban: Ban }) {
  const now = useNow(60_000)
  const since = t('prefill.bannedAt', { time: momentText(new Date(ban.bannedAtUtc), now) })
  const note = ban.banReason === null ? since : `${since} · ${ban.banReason}`
  return (
    <Row
      title={ban.username ?? ban.user ?? ban.bannedUserId ?? ''}
      note={note}
      stale={[keys.prefill]}
    >
      <Action label={t('prefill.lift')} run={() => lift(ban.id)} done={t('prefill.lifted')} />
    </Row>
  )
}
