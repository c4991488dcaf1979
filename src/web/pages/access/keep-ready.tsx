import { useQuery } from '@tanstack/react-query'
import type { NamedSchedule, ScheduleEstimate } from '../../../prefill/scheduled/named-model.ts'
import {
  hasAccounts,
  platformFacts,
  platforms,
  type Platform,
} from '../../../platforms/platforms.ts'
import { ask } from '../../api/ask.ts'
import { keys } from '../../api/keys.ts'
import { Tick } from '../../components/tick.tsx'
import { byteText } from '../../format/numbers.ts'
import { durationText } from '../../format/times.ts'
import { t } from '../../locales/translate.ts'

const schedules = '/api/ext/prefill/schedules'
/** Others need a sign-in first. */
const offered = platforms.filter((platform) => !hasAccounts(platform))

/** Switches scheduled prefill of these platforms on, and starts the sessions that it uses. */
export async function keepReady(chosen: readonly Platform[]): Promise<void> {
  if (chosen.length === 0) return
  const known = await ask<NamedSchedule[]>('GET', schedules)
  for (const platform of chosen) {
    const held = known.find(({ id }) => id === platform)
    await ask('POST', '/api/system/prefill/persistent/start', { service: platform })
    await ask('PUT', `${schedules}/${platform}`, { ...held, enabled: true })
  }
}

interface KeepReadyProps {
  chosen: readonly Platform[]
  onChange: (chosen: readonly Platform[]) => void
}

/** Asks which games to keep in the cache; none, until somebody chooses. */
export const KeepReady = ({ chosen, onChange }: KeepReadyProps) => (
  <div className="mt-5 border-t border-line pt-5">
    <p className="font-medium" id="keep-ready">
      {t('firstRun.keepReady')}
    </p>
    <p className="mt-1 text-small text-dim">{t('firstRun.keepReadyHint')}</p>
    <ul aria-labelledby="keep-ready" className="mt-2">
      {offered.map((platform) => (
        <Offer
          key={platform}
          platform={platform}
          isChosen={chosen.includes(platform)}
          onToggle={() =>
            onChange(
              chosen.includes(platform)
                ? chosen.filter((one) => one !== platform)
                : [...chosen, platform],
            )
          }
        />
      ))}
    </ul>
  </div>
)

interface OfferProps {
  platform: Platform
  isChosen: boolean
  onToggle: () => void
}

function Offer({ platform, isChosen, onToggle }: OfferProps) {
  const label = t('firstRun.keepGames', { platform: platformFacts[platform].title })
  const { data } = useQuery({
    queryKey: [...keys.prefill, 'estimate', platform],
    queryFn: () => ask<ScheduleEstimate>('GET', `${schedules}/${platform}/estimate`),
  })
  return (
    <li className="flex items-center gap-3 py-1.5 pl-2.5">
      <Tick label={label} state={isChosen} onToggle={onToggle} />
      <span className="min-w-0 flex-1" onClick={onToggle}>
        {label}
        <span className="figure block text-small text-dim">{data && sizeText(data)}</span>
      </span>
    </li>
  )
}

function sizeText({ bytes, seconds }: ScheduleEstimate): string {
  if (bytes === null) return t('firstRun.keepUnknown')
  if (seconds === null) return byteText(bytes)
  return t('firstRun.keepSize', { size: byteText(bytes), time: durationText(seconds) })
}
