import { useState } from 'react'
import { Button } from '../../../components/button.tsx'
import { Card } from '../../../components/card.tsx'
import { Field } from '../../../components/field.tsx'
import { Form } from '../../../components/form.tsx'
import { Notice, Pending } from '../../../components/notice.tsx'
import { Row } from '../../../components/setting.tsx'
import { keys } from '../../../api/keys.ts'
import { useNow } from '../../../app/use-now.ts'
import { momentText } from '../../../format/times.ts'
import { t } from '../../../locales/translate.ts'
import { useSave } from '../../../app/use-save.ts'
import { banName, lift, useBans, usePrefillSessions, type Ban } from './queries.ts'

/** Accounts that must not prefill, and a form to add one. */
export function BansCard() {
  const { data, error } = useBans()
  const { data: page } = usePrefillSessions(1)
  const known = (page?.sessions ?? []).flatMap(({ username }) => username ?? [])
  const { save, isBusy } = useSave({ stale: [keys.prefill] })
  const [name, setName] = useState('')
  const [reason, setReason] = useState('')
  const clear = () => {
    setName('')
    setReason('')
  }
  const add = () =>
    save({
      run: () => banName(name.trim(), reason.trim()),
      done: t('prefill.banned'),
      after: clear,
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
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
        <Field
          label={t('prefill.banReason')}
          autoComplete="off"
          maxLength={500}
          value={reason}
          onChange={({ target }) => setReason(target.value)}
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
  const { save, isBusy } = useSave({ stale: [keys.prefill] })
  const now = useNow(60_000)
  const since = t('prefill.bannedAt', { time: momentText(new Date(ban.bannedAtUtc), now) })
  const note = ban.banReason === null ? since : `${since} · ${ban.banReason}`
  return (
    <Row title={ban.username ?? ban.user ?? ban.bannedUserId ?? ''} note={note}>
      <Button
        disabled={isBusy}
        onClick={() => save({ run: () => lift(ban.id), done: t('prefill.lifted') })}
      >
        {t('prefill.lift')}
      </Button>
    </Row>
  )
}
