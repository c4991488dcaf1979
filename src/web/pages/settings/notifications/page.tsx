import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { api, unwrap } from '../../../api/eden.ts'
import { keys } from '../../../api/keys.ts'
import { useSave } from '../../../app/use-save.ts'
import { Button } from '../../../components/button.tsx'
import { Card } from '../../../components/card.tsx'
import { Form } from '../../../components/form.tsx'
import { Notice, Pending } from '../../../components/notice.tsx'
import { onOff } from '../../../components/setting-controls.tsx'
import { Row, Setting, StateLine } from '../../../components/setting.tsx'
import { SidePanel } from '../../../components/side-panel.tsx'
import { Switch } from '../../../components/switch.tsx'
import { TimeSpan } from '../../../components/moment-field.tsx'
import { browserZone } from '../../../format/times.ts'
import { t } from '../../../locales/translate.ts'
import { SettingsPage } from '../settings-page.tsx'
import { HistoryCard } from './history-card.tsx'
import { useNotifications, type Notifications } from './queries.ts'
import { RulesCard } from './rules-card.tsx'
import { TargetForm, TargetsCard } from './targets-card.tsx'

const route = getRouteApi('/settings/notifications')

/** Where notifications go, what they are about, and when they wait. */
export function Page() {
  const { open } = route.useSearch()
  const navigate = useNavigate()
  const { data, error } = useNotifications()
  const show = (id: string | undefined) =>
    void navigate({ to: '/settings/notifications', search: { open: id }, resetScroll: false })
  const isNew = open === 'new'
  const shown = data?.targets.find(({ id }) => id === open)
  const close = () => show(undefined)
  return (
    <SettingsPage
      title={t('settings.notifications')}
      tools={
        <Button onClick={() => show('new')}>
          <Plus size={15} />
          {t('notify.add')}
        </Button>
      }
    >
      {data === undefined && (
        <div className="card">
          <Pending isList error={error} rows={5} />
        </div>
      )}
      {data !== undefined && (
        <>
          <TargetsCard targets={data.targets} onOpen={show} />
          <RulesCard {...data} />
          <QuietCard {...data} />
          <HistoryCard />
        </>
      )}
      <SidePanel
        title={isNew ? t('notify.add') : (shown?.name ?? t('settings.notifications'))}
        isOpen={open !== undefined && (isNew || data !== undefined)}
        onClose={close}
      >
        {isNew && <TargetForm key="new" target={null} onDone={close} />}
        {!isNew && shown !== undefined && (
          <TargetForm key={shown.id} target={shown} onDone={close} />
        )}
        {!isNew && shown === undefined && <Notice title={t('notify.gone')} />}
      </SidePanel>
    </SettingsPage>
  )
}

type QuietHours = NonNullable<Notifications['quietHours']>

const usual = { start: '22:00', end: '07:00' }

/** Hours in which notifications wait. */
function QuietCard({ quietHours, isQuiet }: Notifications) {
  const { change, isBusy } = useSave({ stale: [keys.notifications] })
  const put = (next: QuietHours | null) =>
    unwrap(api.ext.notifications['quiet-hours'].put({ quietHours: next }))
  const set = (next: QuietHours | null) => change(put, [next, quietHours])
  return (
    <Card title={t('notify.quiet')}>
      <Setting
        id="notify.quietOn"
        value={onOff(quietHours !== null)}
        state={isQuiet && <StateLine tone="quiet">{t('notify.quietNow')}</StateLine>}
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
          <Button type="submit" disabled={isBusy || start === end}>
            {t('notify.save')}
          </Button>
        )}
      </Form>
    </Row>
  )
}
