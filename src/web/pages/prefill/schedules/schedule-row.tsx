import { useLocation } from '@tanstack/react-router'
import { useState } from 'react'
import { Button } from '../../../components/button.tsx'
import { Form } from '../../../components/form.tsx'
import { Confirm, Row, useIsWanted } from '../../../components/setting.tsx'
import { Switch } from '../../../components/switch.tsx'
import { keys } from '../../../api/keys.ts'
import { notify } from '../../../components/toast.tsx'
import { t } from '../../../locales/translate.ts'
import { platformFacts } from '../../../../platforms/platforms.ts'
import { useSave } from '../../../app/use-save.ts'
import { runSchedule, type NamedSchedule } from '../../../api/prefill-schedules.ts'
import { ScheduleState, scheduleName } from '../../../components/platforms/schedule-state.tsx'
import { Options, scheduleControls } from './options.tsx'
import { deleteSchedule, saveSchedule } from './queries.ts'

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
  const isNamed = useLocation({ select: ({ hash }) => hash === held.id })
  const isWanted = (useIsWanted(scheduleControls) && isTop) || isNamed
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
      <Row isEntry title={title} note={<ScheduleState held={held} />}>
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
