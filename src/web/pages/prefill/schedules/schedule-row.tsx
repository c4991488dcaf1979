import { useState } from 'react'
import { Button } from '../../../components/button.tsx'
import { Form } from '../../../components/form.tsx'
import { Confirm, Row, StateLine, useIsWanted } from '../../../components/setting.tsx'
import type { Tone } from '../../../components/figures.tsx'
import { Switch } from '../../../components/switch.tsx'
import { keys } from '../../../api/keys.ts'
import { notify } from '../../../components/toast.tsx'
import { useNow } from '../../../app/use-now.ts'
import { sinceText } from '../../../format/since.ts'
import { durationText, momentText } from '../../../format/times.ts'
import { t } from '../../../locales/translate.ts'
import { platformFacts } from '../../../../platforms/platforms.ts'
import { useSave } from '../../../app/use-save.ts'
import { outcomeText } from '../../../format/reason-text.ts'
import { Options, scheduleControls, whatText } from './options.tsx'
import { deleteSchedule, runSchedule, saveSchedule, type NamedSchedule } from './queries.ts'
import { scheduleName } from './schedule-name.ts'

interface ScheduleRowProps {
  held: NamedSchedule
  /** Opens when the address names one of the settings of schedules. */
  isTop: boolean
  /** The only one of its platform needs no name. */
  isOnly: boolean
}

/** One schedule of a platform: its state at rest, its options on demand. */
export function ScheduleRow({ held, isTop, isOnly }: ScheduleRowProps) {
  const { save, change, isBusy } = useSave({ stale: [keys.prefill, keys.operations] })
  const isWanted = useIsWanted(scheduleControls) && isTop
  const [isChosen, setIsOpen] = useState<boolean | null>(null)
  const isOpen = isChosen ?? isWanted
  const { id, name, platform } = held
  const own = scheduleName(name)
  const title = isOnly ? platformFacts[platform].title : `${platformFacts[platform].title} · ${own}`
  const set = (part: Partial<NamedSchedule>) => change(saveSchedule, [{ ...held, ...part }, held])
  const run = () =>
    runSchedule(id).then(({ queued }) =>
      notify(t(queued ? 'prefill.runOneQueued' : 'prefill.runOneStarted', { schedule: title })),
    )
  return (
    <>
      <Row isEntry title={title} note={<State held={held} />}>
        <Button disabled={isBusy || held.isRunning || held.isQueued} onClick={() => save({ run })}>
          {t('prefill.runOne')}
          <span className="sr-only"> {title}</span>
        </Button>
        <Button aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
          {t(isOpen ? 'action.close' : 'prefill.edit')}
          <span className="sr-only"> {title}</span>
        </Button>
        <Switch
          label={t('prefill.scheduleOf', { platform: title })}
          isOn={held.enabled}
          disabled={isBusy}
          onChange={(enabled) => set({ enabled })}
        />
      </Row>
      {isOpen && (
        <div role="group" aria-label={title} className="my-2 rounded-control bg-bg px-4 py-3">
          {!isOnly && (
            <Rename name={own} isBusy={isBusy} onRename={(next) => set({ name: next })} />
          )}
          <Options held={held} isBusy={isBusy} onChange={set} />
          {!held.isFirst && (
            <div className="pt-3">
              <Confirm
                label={t('prefill.deleteSchedule')}
                consequence={t('prefill.deleteScheduleText')}
                isBusy={isBusy}
                onConfirm={() =>
                  save({ run: () => deleteSchedule(id), done: t('prefill.scheduleDeleted') })
                }
              />
            </div>
          )}
        </div>
      )}
    </>
  )
}

interface RenameProps {
  name: string
  isBusy: boolean
  onRename: (name: string) => void
}

function Rename({ name, isBusy, onRename }: RenameProps) {
  const [text, setText] = useState(name)
  const isNew = text.trim() !== '' && text.trim() !== name
  return (
    <Row title={t('prefill.scheduleName')}>
      <Form onSubmit={() => onRename(text.trim())} className="flex flex-wrap gap-2">
        <input
          aria-label={t('prefill.scheduleName')}
          className="input w-[220px] max-w-full"
          maxLength={60}
          autoComplete="off"
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
        <Button type="submit" disabled={isBusy || !isNew}>
          {t('prefill.save')}
        </Button>
      </Form>
    </Row>
  )
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

function State({ held }: { held: NamedSchedule }) {
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
