import { guestPrefillOf, useGuestPrefill, type GuestPrefill } from '../../../api/access-queries.ts'
import { api, unwrap } from '../../../api/eden.ts'
import { keys } from '../../../api/keys.ts'
import { Card } from '../../../components/card.tsx'
import { Pending } from '../../../components/notice.tsx'
import { Row, Setting } from '../../../components/setting.tsx'
import { Switch } from '../../../components/switch.tsx'
import { countText } from '../../../format/numbers.ts'
import { t, tn } from '../../../locales/translate.ts'
import { Choice } from '../../../components/choice.tsx'
import {
  platformFacts,
  platforms,
  type Platform as PlatformKey,
} from '../../../../platforms/platforms.ts'
import { useSave } from '../../../app/use-save.ts'

const hours = ['1', '2', '3'] as const
const threads = [1, 2, 4, 8, 16, 32, 64, 128, 256]

/** Platforms that new guests may prefill, and for how long. */
export function GuestPrefillCard() {
  const { data, error } = useGuestPrefill()
  return (
    <Card title={t('guests.prefill')} note={t('guests.prefillNote')}>
      {data === undefined && <Pending error={error} rows={3} />}
      <Setting id="guests.mayPrefill" />
      {data !== undefined &&
        platforms.map((platform) => (
          <Platform key={platform} platform={platform} held={data[platform]} />
        ))}
    </Card>
  )
}

function post(platform: PlatformKey, body: GuestPrefill): Promise<unknown> {
  return platform === 'alpha'
    ? unwrap(api.auth.guest.prefill.config.post(body))
    : unwrap(guestPrefillOf(platform).post(body))
}

function Platform({ platform, held }: { platform: PlatformKey; held: GuestPrefill }) {
  const { change: changeTo, isBusy } = useSave({ stale: [keys.guests, keys.sessions] })
  const name = platformFacts[platform].title
  const body: GuestPrefill =
    held.maxThreadCount === undefined
      ? { enabledByDefault: held.enabledByDefault, durationHours: held.durationHours }
      : { ...held, maxThreadCount: held.maxThreadCount }
  const change = (part: Partial<GuestPrefill>) =>
    changeTo((next: GuestPrefill) => post(platform, next), [{ ...body, ...part }, body])
  return (
    <Row
      isEntry
      title={name}
      note={
        <>
          {held.enabledByDefault
            ? tn('guests.prefillOn', held.durationHours)
            : t('guests.prefillOff')}
          <span className="mt-2 flex flex-wrap gap-2 text-text">
            <Choice<string>
              label={t('guests.hoursOf', { name })}
              value={String(held.durationHours)}
              options={hours.map((value) => ({ value, label: tn('guests.hours', Number(value)) }))}
              disabled={isBusy}
              onChange={(value) => change({ durationHours: Number(value) })}
            />
            {held.maxThreadCount !== undefined && (
              <Choice
                label={t('guests.threadsOf', { name })}
                value={String(held.maxThreadCount ?? '')}
                options={[
                  { value: '', label: t('guests.threadsAny') },
                  ...threads.map((count) => ({
                    value: String(count),
                    label: t('guests.threads', { count: countText(count) }),
                  })),
                ]}
                disabled={isBusy}
                onChange={(count) =>
                  change({ maxThreadCount: count === '' ? null : Number(count) })
                }
              />
            )}
          </span>
        </>
      }
    >
      <Switch
        label={t('guests.prefillOf', { name })}
        isOn={held.enabledByDefault}
        disabled={isBusy}
        onChange={(enabledByDefault) => change({ enabledByDefault })}
      />
    </Row>
  )
}
