import { useState } from 'react'
import type { BandwidthState } from '../../../../prefill/bandwidth/model.ts'
import { keys } from '../../../api/client.ts'
import { useServerZone } from '../../../api/queries.ts'
import { useSave } from '../../../app/use-save.ts'
import { Button, Choice, Form, Switch } from '../../../components/form-controls.tsx'
import { Card, Row, StateLine } from '../../../components/card.tsx'
import { onOff, Setting } from '../../../components/setting-controls.tsx'
import { TimeSpan } from '../../../components/moment-field.tsx'
import { rateText } from '../../../format/numbers.ts'
import { dayText } from '../../../format/times.ts'
import { t, tn } from '../../../locales/translate.ts'
import { saveBandwidth, useBandwidth } from './queries.ts'

type Limit = Pick<BandwidthState, 'bytesPerSecond' | 'isPaused'>
type TimeWindow = BandwidthState['windows'][number]

const limits = [1, 2, 5, 10, 20, 50, 100, 200].map((megabytes) => megabytes * 1e6)
const windowsMax = 10

const limitText = ({ bytesPerSecond, isPaused }: Limit): string => {
  if (isPaused) return t('prefill.paused')
  return bytesPerSecond === null ? t('prefill.noLimit') : rateText(bytesPerSecond)
}

/** The bandwidth that prefills of Larder's own daemons share, and its hours. */
export function BandwidthCard() {
  const { data } = useBandwidth()
  const zone = useServerZone()
  const { change, isBusy } = useSave({ stale: [keys.prefill] })
  if (data === undefined) return null
  const { bytesPerSecond, isPaused, windows, current, runs, volumeUsedUntilUtc: until } = data
  const before = { bytesPerSecond, isPaused, windows }
  const set = (next: Partial<typeof before>) =>
    change(saveBandwidth, [{ ...before, ...next }, before])
  return (
    <Card title={t('prefill.bandwidth')} note={t('prefill.bandwidthNote')}>
      <fieldset disabled={isBusy} className="min-w-0">
        <Setting
          id="prefill.pause"
          value={onOff(isPaused)}
          state={
            <StateLine tone={current.isPaused ? 'attention' : 'quiet'}>
              {until === null
                ? t('prefill.bandwidthNow', { limit: limitText(current) })
                : t('prefill.bandwidthHeld', { day: dayText(new Date(until), zone) })}
              {runs > 0 && `, ${tn('prefill.bandwidthRuns', runs)}`}
            </StateLine>
          }
        >
          <Switch isOn={isPaused} onChange={(isOn) => set({ isPaused: isOn })} />
        </Setting>
        <Setting id="prefill.limit" value={limitText({ bytesPerSecond, isPaused: false })}>
          <LimitChoice
            limit={{ bytesPerSecond, isPaused: false }}
            onChange={(limit) => set({ bytesPerSecond: limit.bytesPerSecond })}
          />
        </Setting>
        {windows.map((one, index) => (
          <Row
            key={`${one.start} ${one.end}`}
            title={`${one.start} – ${one.end}`}
            note={limitText(one)}
          >
            <Button onClick={() => set({ windows: windows.filter((_, at) => at !== index) })}>
              {t('prefill.removeWindow')}
            </Button>
          </Row>
        ))}
        {windows.length < windowsMax && (
          <NewWindow
            isFirst={windows.length === 0}
            onAdd={(one) => set({ windows: [...windows, one] })}
          />
        )}
      </fieldset>
    </Card>
  )
}

interface LimitChoiceProps {
  limit: Limit
  /** Offers a pause, too. */
  withPause?: boolean
  label?: string
  onChange: (limit: Limit) => void
}

function LimitChoice({ limit, withPause = false, label, onChange }: LimitChoiceProps) {
  const { bytesPerSecond, isPaused } = limit
  const custom = bytesPerSecond === null || limits.includes(bytesPerSecond) ? [] : [bytesPerSecond]
  const rates = [...limits, ...custom].map((rate) => ({
    value: String(rate),
    label: rateText(rate),
  }))
  const none = { value: 'none', label: t('prefill.noLimit') }
  const pause = withPause ? [{ value: 'pause', label: t('prefill.paused') }] : []
  const chosen = isPaused ? 'pause' : String(bytesPerSecond ?? 'none')
  return (
    <Choice
      label={label}
      value={chosen}
      options={[none, ...pause, ...rates]}
      onChange={(value) =>
        onChange({
          bytesPerSecond: value === 'none' || value === 'pause' ? null : Number(value),
          isPaused: value === 'pause',
        })
      }
    />
  )
}

function NewWindow({ isFirst, onAdd }: { isFirst: boolean; onAdd: (one: TimeWindow) => void }) {
  const [span, setSpan] = useState({ start: '18:00', end: '23:00' })
  const isWhole = span.start !== '' && span.end !== '' && span.start !== span.end
  const [limit, setLimit] = useState<Limit>({ bytesPerSecond: null, isPaused: true })
  return (
    <Setting id="prefill.window" {...(isFirst && { value: t('controls.none') })}>
      <Form
        onSubmit={() => onAdd({ ...span, ...limit })}
        className="flex flex-wrap items-center gap-2"
      >
        <TimeSpan
          {...span}
          labels={{ start: t('prefill.windowStart'), end: t('prefill.windowEnd') }}
          onChange={(change) => setSpan({ ...span, ...change })}
        />
        <LimitChoice limit={limit} withPause label={t('prefill.limit')} onChange={setLimit} />
        <Button type="submit" disabled={!isWhole}>
          {t('prefill.addWindow')}
        </Button>
      </Form>
    </Setting>
  )
}
