import { Link, useLocation } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { api, unwrap, keys } from '../../../api/client.ts'
import { runSchedule, usePrefillSchedules } from '../../../api/prefill-schedules.ts'
import { useSchedules, type Schedule } from '../../../app/schedule-queries.ts'
import { useNow } from '../../../app/clock.ts'
import { Button, optionsOf } from '../../../components/form-controls.tsx'
import { CalendarEditor } from '../../../components/calendar/calendar-editor.tsx'
import { Card, Pending, Saves, Row, StateLine } from '../../../components/card.tsx'
import { ScheduleState, scheduleTitle } from '../../../components/platforms/schedule-state.tsx'
import { notify } from '../../../components/toast.tsx'
import {
  Action,
  ChoiceSetting,
  onOff,
  SwitchSetting,
  SavedChoice,
  Setting,
  useIsWanted,
} from '../../../components/setting-controls.tsx'
import { sinceText, durationText } from '../../../format/times.ts'
import { t, tn, type Key } from '../../../locales/translate.ts'
import { SettingsPage } from '../settings-page.tsx'

/** Services that this page knows; others are shown by their key. */
const names: Readonly<Record<string, Key>> = {
  backup: 'job.backup',
  betaMapping: 'job.betaMapping',
  cacheReconciliation: 'job.evictionScan',
  cacheSizeScan: 'job.cacheSize',
  cacheSnapshot: 'schedules.cacheSnapshot',
  dashboardCacheWarmer: 'schedules.dashboardCacheWarmer',
  depotMapping: 'job.depotMapping',
  epsilonMapping: 'job.epsilonMapping',
  gameDetection: 'job.gameDetection',
  gameImageFetch: 'job.gameImageFetch',
  logRotation: 'job.logReopening',
  operationHistoryCleanup: 'schedules.operationHistoryCleanup',
  performanceOptimization: 'schedules.performanceOptimization',
  prefillReadyCheck: 'job.prefillReadyCheck',
  updateCheck: 'updates.title',
}
const hours = [0, 1, 6, 12, 24, 168] as const

/** Stands for the schedules of prefill, which are listed below one by one. */
const prefillKey = 'scheduledPrefill'

/** What runs on a schedule, how often, and a run at once. */
export function Page() {
  const { data, error } = useSchedules()
  return (
    <SettingsPage title={t('settings.schedules')}>
      <Card title={t('schedules.title')} note={t('schedules.note')}>
        {data === undefined && <Pending error={error} rows={5} />}
        <AllSchedules />
        <Setting id="schedules.interval" standard={null} />
        {data
          ?.filter(({ key }) => key !== prefillKey)
          .map((schedule, index) => (
            <Entry key={schedule.key} schedule={schedule} isFirst={index === 0} />
          ))}
      </Card>
      <PrefillCard />
    </SettingsPage>
  )
}

/** What concerns every schedule. */
function AllSchedules() {
  const runAll = async () => {
    const { triggeredCount } = await unwrap(api.system.schedules['run-all'].post())
    notify(tn('schedules.startedAll', triggeredCount))
  }
  return (
    <Row
      stale={[keys.schedules, keys.operations]}
      title={t('schedules.all')}
      note={t('schedules.allNote')}
    >
      <Action label={t('schedules.runAll')} run={runAll} />
      <Action
        label={t('schedules.reset')}
        consequence={t('schedules.resetText')}
        run={() => unwrap(api.system.schedules.reset.post())}
        done={t('schedules.wasReset')}
      />
    </Row>
  )
}

/** The schedules of prefill: their state, and the way to where they are edited. */
function PrefillCard() {
  const { data, error } = usePrefillSchedules()
  return (
    <Card
      title={t('nav.prefill')}
      note={t('prefill.scheduleNote')}
      stale={[keys.prefill, keys.operations]}
    >
      {data === undefined && <Pending error={error} rows={3} />}
      {data?.map((held) => {
        const title = scheduleTitle(held, data)
        return (
          <Row key={held.id} isEntry title={title} note={<ScheduleState held={held} />}>
            <Action
              label={t('schedules.run')}
              name={`${t('schedules.run')} ${title}`}
              run={() => runSchedule(held.id)}
              done={t('schedules.started')}
              disabled={held.isRunning || held.isQueued}
            />
            <Link to="/prefill/schedules" hash={held.id} className="control">
              {t('schedules.edit')}
              <span className="sr-only"> {title}</span>
            </Link>
          </Row>
        )
      })}
    </Card>
  )
}

function intervalText(interval: number): string {
  if (interval === 0) return t('depots.off')
  if (interval < 0) return t('schedules.atStart')
  return interval < 1
    ? t('schedules.everyMinutes', { minutes: Math.round(interval * 60) })
    : tn('depots.everyHours', interval)
}

function Entry({ schedule, isFirst }: { schedule: Schedule; isFirst: boolean }) {
  const isWanted = useIsWanted(scheduleOptions) && isFirst
  const place = useRef<HTMLDivElement>(null)
  const isNamed = useLocation({ select: ({ hash }) => hash === schedule.key })
  useEffect(() => {
    if (isNamed) place.current?.scrollIntoView({ block: 'center' })
  }, [isNamed])
  const [isChosen, setIsOpen] = useState<boolean | null>(null)
  const isOpen = isChosen ?? (isWanted || isNamed)
  return (
    <div ref={place} className="border-b border-line py-3 last:border-b-0 last:pb-0">
      <Line schedule={schedule} isOpen={isOpen} onOpen={() => setIsOpen(!isOpen)} />
      {isOpen && (
        <Saves stale={[keys.schedules]}>
          <Options schedule={schedule} />
        </Saves>
      )}
    </div>
  )
}

interface LineProps {
  schedule: Schedule
  isOpen: boolean
  onOpen: () => void
}

function Line({ schedule, isOpen, onOpen }: LineProps) {
  const { key, intervalHours, customSchedule, isRunning } = schedule
  const service = api.system.schedules({ serviceKey: key })
  const put = (interval: number) => unwrap(service.put({ intervalHours: interval }))
  const isUsual = hours.some((hour) => hour === intervalHours)
  const shown = isUsual ? hours : [intervalHours, ...hours]
  const name = names[key]
  return (
    <Row
      isEntry
      stale={[keys.schedules, keys.operations]}
      title={name === undefined ? key : t(name)}
      note={<State schedule={schedule} />}
    >
      {customSchedule === null && (
        <SavedChoice
          value={intervalHours}
          options={optionsOf(shown, (hour) => intervalText(hour))}
          write={put}
        />
      )}
      <Action
        label={t('schedules.run')}
        run={() => unwrap(service.run.post())}
        done={t('schedules.started')}
        disabled={isRunning}
      />
      <Button aria-expanded={isOpen} onClick={onOpen}>
        {t('schedules.options')}
      </Button>
    </Row>
  )
}

function State({ schedule }: { schedule: Schedule }) {
  const now = useNow(30_000)
  const { isRunning, lastRunUtc, nextRunUtc, customSchedule, defaults } = schedule
  const { intervalHours, awaitingSignIn, pendingFullScan } = schedule
  const isChanged = customSchedule !== null || intervalHours !== defaults.intervalHours
  if (isRunning) return <StateLine tone="good">{t('schedules.running')}</StateLine>
  const seconds = nextRunUtc === null ? null : (Date.parse(nextRunUtc) - now.getTime()) / 1000
  const parts = [
    lastRunUtc === null
      ? t('schedules.never')
      : t('schedules.last', { time: sinceText(new Date(lastRunUtc), now) }),
    seconds === null
      ? t('schedules.noNext')
      : t('schedules.next', { time: durationText(Math.max(0, seconds)) }),
    customSchedule === null ? '' : `${customSchedule.expression} ${customSchedule.timeZoneId}`,
  ]
  return (
    <>
      <StateLine tone="quiet">{parts.filter((part) => part !== '').join(' · ')}</StateLine>
      {awaitingSignIn === true && (
        <StateLine tone="attention">{t('schedules.awaitingSignIn')}</StateLine>
      )}
      {pendingFullScan !== null && <StateLine tone="attention">{t('stage.fullNeeded')}</StateLine>}
      {isChanged && t('controls.default', { value: intervalText(defaults.intervalHours) })}
    </>
  )
}

const modes = ['all', 'manual', 'silent'] as const
const displays = ['full', 'condensed'] as const

/** Settings of each service. */
const scheduleOptions = [
  'schedules.calendar',
  'schedules.runOnStartup',
  'schedules.notify',
] as const

/** Calendar, start and notifications of one service. */
function Options({ schedule }: { schedule: Schedule }) {
  const { key, defaults } = schedule
  const service = api.system.schedules({ serviceKey: key })
  return (
    <div className="mb-3 rounded-control bg-raise px-3 py-2">
      <Setting
        id="schedules.calendar"
        value={onOff(schedule.customSchedule !== null)}
        state={
          <div className="pt-2 text-text">
            <CalendarEditor schedule={schedule} />
          </div>
        }
      />
      <SwitchSetting
        id="schedules.runOnStartup"
        value={schedule.runOnStartup}
        standard={defaults.runOnStartup}
        write={(runOnStartup) => unwrap(service.runOnStartup.put({ runOnStartup }))}
      />
      {schedule.supportsNotifications && (
        <ChoiceSetting
          id="schedules.notify"
          value={schedule.notificationMode}
          standard={defaults.notificationMode}
          options={optionsOf(modes, (value) => t(`schedules.mode.${value}`))}
          write={(mode) => unwrap(service.notificationMode.put(mode))}
        >
          <SavedChoice
            label={t('schedules.detail')}
            value={schedule.notificationDisplayMode}
            options={optionsOf(displays, (value) => t(`schedules.display.${value}`))}
            write={(mode) => unwrap(service.notificationDisplayMode.put(mode))}
          />
        </ChoiceSetting>
      )}
    </div>
  )
}
