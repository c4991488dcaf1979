import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { api, unwrap } from '../../../api/eden.ts'
import { keys } from '../../../api/keys.ts'
import { useNow } from '../../../app/use-now.ts'
import { Button } from '../../../components/button.tsx'
import { Card } from '../../../components/card.tsx'
import { Choice } from '../../../components/choice.tsx'
import { Pending } from '../../../components/notice.tsx'
import { Row, Setting, StateLine, useIsWanted } from '../../../components/setting.tsx'
import { sinceText } from '../../../format/since.ts'
import { durationText } from '../../../format/times.ts'
import { t, tn, type Key } from '../../../locales/translate.ts'
import { SettingsPage } from '../settings-page.tsx'
import { useSave } from '../../../app/use-save.ts'
import { Options, scheduleOptions } from './options.tsx'
import { useSchedules, type Schedule } from '../../../app/schedule-queries.ts'

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
  scheduledPrefill: 'job.scheduledPrefill',
}
const hours = [0, 1, 6, 12, 24, 168] as const

/** Every platform has times of its own. */
const hasOwnPage = (key: string) => key === 'scheduledPrefill'

/** What runs on a schedule, how often, and a run at once. */
export function Page() {
  const { data, error } = useSchedules()
  return (
    <SettingsPage title={t('settings.schedules')}>
      <Card title={t('schedules.title')} note={t('schedules.note')}>
        {data === undefined && <Pending error={error} rows={5} />}
        <Setting id="schedules.interval" />
        {data?.map((schedule, index) => (
          <Entry key={schedule.key} schedule={schedule} isFirst={index === 0} />
        ))}
      </Card>
    </SettingsPage>
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
  const [isChosen, setIsOpen] = useState<boolean | null>(null)
  const isOpen = isChosen ?? isWanted
  return (
    <>
      <Line schedule={schedule} isOpen={isOpen} onOpen={() => setIsOpen(!isOpen)} />
      {isOpen && <Options schedule={schedule} />}
    </>
  )
}

interface LineProps {
  schedule: Schedule
  isOpen: boolean
  onOpen: () => void
}

function Line({ schedule, isOpen, onOpen }: LineProps) {
  const { key, intervalHours, customSchedule, isRunning } = schedule
  const { save, change, isBusy } = useSave({ stale: [keys.schedules, keys.operations] })
  const service = api.system.schedules({ serviceKey: key })
  const put = (interval: number) => unwrap(service.put({ intervalHours: interval }))
  const isUsual = hours.some((hour) => hour === intervalHours)
  const shown = isUsual ? hours : [intervalHours, ...hours]
  const name = names[key]
  return (
    <Row isEntry title={name === undefined ? key : t(name)} note={<State schedule={schedule} />}>
      {customSchedule === null && !hasOwnPage(key) && (
        <Choice
          value={String(intervalHours)}
          options={shown.map((hour) => ({ value: String(hour), label: intervalText(hour) }))}
          disabled={isBusy}
          onChange={(value) => change(put, [Number(value), intervalHours])}
        />
      )}
      <Button
        disabled={isBusy || isRunning}
        onClick={() =>
          save({ run: () => unwrap(service.run.post()), done: t('schedules.started') })
        }
      >
        {t('schedules.run')}
      </Button>
      {hasOwnPage(key) ? (
        <Link to="/prefill/schedules" className="control">
          {t('schedules.options')}
        </Link>
      ) : (
        <Button aria-expanded={isOpen} onClick={onOpen}>
          {t('schedules.options')}
        </Button>
      )}
    </Row>
  )
}

function State({ schedule }: { schedule: Schedule }) {
  const now = useNow(30_000)
  const { key, isRunning, lastRunUtc, nextRunUtc, customSchedule, defaults } = schedule
  const { awaitingSignIn, pendingFullScan } = schedule
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
      {pendingFullScan !== null && (
        <StateLine tone="attention">{t('schedules.fullScanNeeded')}</StateLine>
      )}
      {!hasOwnPage(key) && t('controls.default', { value: intervalText(defaults.intervalHours) })}
    </>
  )
}
