import { useState } from 'react'
import type { Updates } from '../../../../system/updates/model.ts'
import { api, unwrap } from '../../../api/eden.ts'
import { keys } from '../../../api/keys.ts'
import { useAccountRead } from '../../../api/queries.ts'
import { useReaders } from '../../../app/readers.ts'
import { useNow } from '../../../app/use-now.ts'
import { useSave } from '../../../app/use-save.ts'
import { Button } from '../../../components/button.tsx'
import { Card } from '../../../components/card.tsx'
import { Form } from '../../../components/form.tsx'
import { Pending } from '../../../components/notice.tsx'
import { Action, SwitchSetting } from '../../../components/setting-controls.tsx'
import { Row, Setting, StateLine } from '../../../components/setting.tsx'
import { sinceText } from '../../../format/since.ts'
import { t } from '../../../locales/translate.ts'

/** Whether there is a newer version; asked only where an administrator has allowed it. */
export function UpdatesCard() {
  const { data, error } = useAccountRead(keys.updates, api.ext.updates.get)
  return (
    <Card title={t('updates.title')} note={t('updates.note')}>
      {data === undefined ? <Pending error={error} rows={3} /> : <Content updates={data} />}
    </Card>
  )
}

function Content({ updates }: { updates: Updates }) {
  const { address, isAllowed } = updates
  const isBarred = !useReaders().admin
  const saving = useSave({ stale: [keys.updates, keys.schedules] })
  const { change, isBusy } = saving
  const [typed, setTyped] = useState(address ?? '')
  const put = (part: Partial<Pick<Updates, 'address' | 'isAllowed'>>) =>
    unwrap(api.ext.updates.put({ address, isAllowed, ...part }))
  const wanted = typed.trim() === '' ? null : typed.trim()
  const keepAddress = (next: string | null) =>
    put({ address: next, isAllowed: isAllowed && next !== null })
  return (
    <>
      <Row title={t('updates.state')} note={<State updates={updates} />}>
        {isAllowed && (
          <Action
            label={t('updates.check')}
            run={() => unwrap(api.ext.updates.check.post())}
            saving={saving}
            disabled={isBarred}
          />
        )}
      </Row>
      <Setting id="updates.address" value={address ?? t('controls.none')}>
        <Form
          onSubmit={() => change(keepAddress, [wanted, address])}
          className="flex flex-wrap gap-2"
        >
          <input
            aria-label={t('updates.address')}
            className="input w-[min(340px,80vw)]"
            placeholder="https://"
            maxLength={500}
            autoComplete="off"
            disabled={isBarred}
            value={typed}
            onChange={({ target }) => setTyped(target.value)}
          />
          <Button type="submit" disabled={isBarred || isBusy || wanted === address}>
            {t('updates.save')}
          </Button>
        </Form>
      </Setting>
      <SwitchSetting
        id="updates.allowed"
        value={isAllowed}
        write={(isOn) => put({ isAllowed: isOn })}
        saving={saving}
        state={address === null ? t('updates.needsAddress') : undefined}
        disabled={isBarred || address === null}
      />
    </>
  )
}

function State({ updates: { isAllowed, isAvailable, last } }: { updates: Updates }) {
  const now = useNow(60_000)
  if (last === null) {
    return <StateLine tone="quiet">{t(isAllowed ? 'updates.never' : 'updates.off')}</StateLine>
  }
  const time = sinceText(new Date(last.checkedAtUtc), now)
  if (last.error !== null) {
    return (
      <StateLine tone="attention">{t('updates.failed', { time, reason: last.error })}</StateLine>
    )
  }
  const version = last.version ?? ''
  return (
    <StateLine tone={isAvailable ? 'attention' : 'good'}>
      {t(isAvailable ? 'updates.available' : 'updates.newest', { version, time })}{' '}
      {last.url !== null && (
        <a className="link" href={last.url} target="_blank" rel="noreferrer">
          {t('updates.page')}
        </a>
      )}
    </StateLine>
  )
}
