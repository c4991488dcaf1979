import { platformFacts, type Preset } from '../../../platforms/platforms.ts'
import type { NamedSchedule } from '../../api/prefill-schedules.ts'
import { useNow } from '../../app/clock.ts'
import { outcomeText } from '../../format/reason-text.ts'
import { sinceText, durationText, momentText } from '../../format/times.ts'
import { t, tn } from '../../locales/translate.ts'
import type { Tone } from '../figures.tsx'
import { StateLine } from '../card.tsx'

/** The service's own name of a first schedule is translated; names that people gave are not. */
export const scheduleName = (name: string): string =>
  name === 'Default' ? t('prefill.scheduleDefault') : name

/** Its platform, and its own name if the platform has others. */
export const scheduleTitle = (held: NamedSchedule, all: readonly NamedSchedule[]): string => {
  const { title } = platformFacts[held.platform]
  const isOnly = all.every(({ id, platform }) => platform !== held.platform || id === held.id)
  return isOnly ? title : `${title} · ${scheduleName(held.name)}`
}

/** Popular games of a run unless another value is given. */
export const topUsual = 50

/** Without the number of popular games. */
export const presetKey = (preset: Preset) =>
  preset === 'Top' ? 'prefill.presetTop' : (`prefill.run.${preset}` as const)

/** What a run takes, in a few words. */
function whatText({ preset, topCount, selectedAppIds }: NamedSchedule): string {
  if (selectedAppIds.length > 0) return tn('prefill.onlyChosen', selectedAppIds.length)
  return t(presetKey(preset)) + (preset === 'Top' ? ` ${topCount ?? topUsual}` : '')
}

function nextText({ enabled, nextRunUtc }: NamedSchedule, now: Date): string {
  if (!enabled) return t('prefill.scheduleOff')
  if (nextRunUtc === null) return t('prefill.noNextRun')
  const next = new Date(nextRunUtc)
  const left = durationText(Math.max(0, (next.getTime() - now.getTime()) / 1000))
  return t('prefill.nextRunAt', { time: momentText(next, now), left })
}

function stateText(held: NamedSchedule, now: Date): string {
  if (held.isRunning) return t('prefill.runsNow')
  if (held.isQueued) return t('prefill.waitsForRun')
  const last = held.lastResult === null && held.enabled ? [t('prefill.neverRan')] : []
  return [nextText(held, now), ...last].join(' · ')
}

/** When a schedule of prefill runs, what it takes, and how the last run ended. */
export function ScheduleState({ held }: { held: NamedSchedule }) {
  const now = useNow(30_000)
  const isIdle = !held.enabled && !held.isRunning && !held.isQueued
  return (
    <>
      <StateLine tone={isIdle ? 'quiet' : 'good'}>
        {whatText(held)} · {stateText(held, now)}
      </StateLine>
      {held.lastResult !== null && <Last result={held.lastResult} now={now} />}
    </>
  )
}

const tones: Readonly<Record<LastResult['stage'], Tone>> = {
  completed: 'good',
  cancelled: 'quiet',
  skipped: 'attention',
  'needs-login': 'attention',
  failed: 'bad',
}

type LastResult = NonNullable<NamedSchedule['lastResult']>

function Last({ result, now }: { result: LastResult; now: Date }) {
  const { stage, endedAtUtc, messageKey } = result
  const reason = outcomeText(result)
  const isSkipped = stage === 'skipped' || stage === 'needs-login'
  const isPartly = messageKey === 'completedPartly' || messageKey === 'completedSome'
  const text = isSkipped ? t('prefill.resultSkipped', { reason }) : reason
  return (
    <StateLine tone={isPartly ? 'attention' : tones[stage]}>
      {t('prefill.lastResult', {
        time: sinceText(new Date(endedAtUtc), now),
        result: stage === 'failed' ? t('prefill.resultFailed', { reason }) : text,
      })}
    </StateLine>
  )
}
