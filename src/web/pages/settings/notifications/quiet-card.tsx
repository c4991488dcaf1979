import { useState } from 'react'
import { api, unwrap } from '../../../api/eden.ts'
import { keys } from '../../../api/keys.ts'
import { Button } from '../../../components/button.tsx'
import { Card } from '../../../components/card.tsx'
import { Form } from '../../../components/form.tsx'
import { Row, Setting, StateLine } from '../../../components/setting.tsx'
import { Switch } from '../../../components/switch.tsx'
import { TimeSpan } from '../../../components/time-span.tsx'
import { browserZone } from '../../../format/times.ts'
import { t } from '../../../locales/translate.ts'
import { useSave } from '../../../app/use-save.ts'
import type { Notifications } from './queries.ts'

type QuietHours = NonNullable<Notifications['quietHours']>

const usual = { start: '22:00', end: '07:00' }

/** Hours in which notifications wait. */
export function QuietCard({ quietHours, isQuiet }: Notifications) {
  const { change, isBusy } = useSave({ stale: [keys.notifications] })
  const put = (next: QuietHours | null) =>
    unwrap(api.ext.notifications['quiet-hours'].put({ quietHours: next }))
  const set = (next: QuietHours | null) => change(put, [next, quietHours])
  return (
    <Card title={t('notify.quiet')}>
      <Setting
        id="notify.quietOn"
        state={isQuiet && <StateLine tone="attention">{t('notify.quietNow')}</StateLine>}
      >
        <Switch
          isOn={quietHours !== null}
          disabled={isBusy}
          onChange={(isOn) => set(isOn ? { ...usual, timeZoneId: browserZone() } : null)}
        />
      </Setting>
      {quietHours !== null && (
        <Hours
          key={`${quietHours.start} ${quietHours.end}`}
          quietHours={quietHours}
          isBusy={isBusy}
          onSet={set}
        />
      )}
    </Card>
  )
}

interface HoursProps {
  quietHours: QuietHours
  isBusy: boolean
  onSet: (next: QuietHours) => void
}

function Hours({ quietHours, isBusy, onSet }: HoursProps) {
  const [start, setStart] = useState(quietHours.start)
  const [end, setEnd] = useState(quietHours.end)
  const isChanged = start !== quietHours.start || end !== quietHours.end
  const isRight = start !== '' && end !== '' && start !== end
  return (
    <Row
      title={t('notify.quietHours')}
      note={t('notify.quietZone', { zone: quietHours.timeZoneId })}
    >
      <Form
        onSubmit={() => onSet({ ...quietHours, start, end })}
        className="flex flex-wrap items-center gap-2"
      >
        <TimeSpan
          start={start}
          end={end}
          labels={{ start: t('notify.quietStart'), end: t('notify.quietEnd') }}
          onChange={(span) => {
            setStart(span.start ?? start)
            setEnd(span.end ?? end)
          }}
        />
        {isChanged && (
          <Button type="submit" disabled={isBusy || !isRight}>
            {t('notify.save')}
          </Button>
        )}
      </Form>
    </Row>
  )
}
