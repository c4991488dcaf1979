import { useMutation, useQueryClient } from '@tanstack/react-query'
import { RotateCw } from 'lucide-react'
import { useState } from 'react'
import {
  type Platform,
  hasAccounts,
  platformFacts,
  platforms,
} from '../../../platforms/platforms.ts'
import { api, unwrap, keys } from '../../api/client.ts'
import { useChecklist, useRead, type SetupChecklist, type SetupCheck } from '../../api/queries.ts'
import { Button, Tick } from '../../components/form-controls.tsx'
import { Pending, Problem } from '../../components/card.tsx'
import { t } from '../../locales/translate.ts'
import { isStarting, questionOf, waitsForLog, checkText } from './checks.ts'
import { Frame } from './frame.tsx'
import { Command } from '../../components/command.tsx'
import { Dot } from '../../components/figures.tsx'
import type { ScheduleEstimate } from '../../../prefill/scheduled/named-model.ts'
import { startPersistent } from '../../api/account-queries.ts'
import { prefillSchedules as schedules } from '../../api/prefill-schedules.ts'
import { byteText } from '../../format/numbers.ts'
import { durationText } from '../../format/times.ts'

const repeatedMs = 3000

type Choice = 'beginning' | 'end' | null

interface Answers {
  choice: Choice
  chosen: readonly Platform[]
}

/** Stores the answers, then completes the set-up: only then are logs read. */
async function complete({ choice, chosen }: Answers): Promise<void> {
  await keepReady(chosen)
  if (choice !== null) {
    await unwrap(api.logs.position.patch({ position: choice === 'beginning' ? 0 : null }))
  }
  await unwrap(api.system.setup.patch({ completed: true }))
  // Reading has begun; as an operation it shows its progress.
  if (choice === 'beginning') await unwrap(api.logs.process.post())
}

interface QuestionProps {
  checklist: SetupChecklist
  isBusy: boolean
  onChoice: (choice: Choice) => void
}

function Question({ checklist, isBusy, onChoice }: QuestionProps) {
  const question = questionOf(checklist)
  const isWaiting = waitsForLog(checklist)
  if (question === 'none') {
    return (
      <Button className="primary w-full" disabled={isBusy} onClick={() => onChoice(null)}>
        {t('firstRun.continue')}
      </Button>
    )
  }
  const isDisabled = isBusy || question === 'later'
  return (
    <div className="grid gap-x-3 gap-y-4 sm:grid-cols-2">
      <div>
        <Button
          className="primary w-full"
          disabled={isDisabled || isWaiting}
          onClick={() => onChoice('beginning')}
        >
          {t('firstRun.readAll')}
        </Button>
        <p className="mt-1.5 text-small text-dim">
          {t(isWaiting ? 'firstRun.waitsForLog' : 'firstRun.readAllHint')}
        </p>
      </div>
      <div>
        <Button
          className="h-[38px] w-full justify-center"
          disabled={isDisabled}
          onClick={() => onChoice('end')}
        >
          {t('firstRun.fromNow')}
        </Button>
        <p className="mt-1.5 text-small text-dim">{t('firstRun.fromNowHint')}</p>
      </div>
    </div>
  )
}

/** Shows what Larder found, with remedies; asks what to keep ready, and where to start reading. */
export function Page() {
  const queries = useQueryClient()
  const [chosen, setChosen] = useState<readonly Platform[]>([])
  const checklist = useChecklist({
    refetchInterval: ({ state }) =>
      state.data !== undefined && (isStarting(state.data) || waitsForLog(state.data))
        ? repeatedMs
        : false,
  })
  const finish = useMutation({
    mutationFn: complete,
    onSettled: async () => {
      await queries.refetchQueries({ queryKey: keys.setup })
      await queries.invalidateQueries()
    },
  })
  const { data, error, isFetching } = checklist
  return (
    <Frame title={t('firstRun.title')} lead={t('firstRun.lead')} isWide>
      {data === undefined ? (
        <Pending error={error} rows={4} />
      ) : (
        <>
          <CheckLines {...data} />
          <Button className="mt-3" disabled={isFetching} onClick={() => void checklist.refetch()}>
            <RotateCw size={14} />
            {t(isFetching ? 'firstRun.checking' : 'firstRun.checkAgain')}
          </Button>
          <KeepReady chosen={chosen} onChange={setChosen} />
          <Problem error={error ?? finish.error} className="mt-3" />
          <div className="mt-5 border-t border-line pt-5">
            <Question
              checklist={data}
              isBusy={finish.isPending}
              onChoice={(choice) => finish.mutate({ choice, chosen })}
            />
          </div>
        </>
      )}
    </Frame>
  )
}

function Line({ check, isInContainer }: { check: SetupCheck; isInContainer: boolean }) {
  const { title, text, values, format, detail } = checkText(check, isInContainer)
  const { state, remedy, datasource } = check
  const shown = { ...values, format: format === null ? '' : t(format) }
  return (
    <li className="flex items-start gap-3 border-b border-line py-3 first:pt-0 last:border-b-0">
      <span className="mt-[7px] flex">
        <Dot tone={state} />
      </span>
      <div className="min-w-0 flex-1 space-y-1.5">
        <p className="font-medium">
          {t(title)}
          {datasource !== null && datasource !== 'default' && (
            <span className="font-normal text-dim"> · {datasource}</span>
          )}
          <span className="sr-only">{t(`check.state.${state}`)}</span>
        </p>
        <p className="text-small wrap-anywhere text-dim">{t(text, shown)}</p>
        {detail !== null && (
          <code className="block text-[12.5px] break-all text-dim">{detail}</code>
        )}
        {remedy !== null && <Command text={remedy} />}
      </div>
    </li>
  )
}

/** Everything that Larder needs, with a remedy for each problem. */
const CheckLines = ({ checks, isInContainer }: SetupChecklist) => (
  <ul aria-label={t('check.list')}>
    {checks.map((check) => (
      <Line
        key={`${check.datasource ?? ''} ${check.part}`}
        check={check}
        isInContainer={isInContainer}
      />
    ))}
  </ul>
)

/** Others need a sign-in first. */
const offered = platforms.filter((platform) => !hasAccounts(platform))

/** Switches scheduled prefill of these platforms on, and starts the sessions that it uses. */
async function keepReady(chosen: readonly Platform[]): Promise<void> {
  if (chosen.length === 0) return
  const known = await unwrap(schedules.get())
  for (const platform of chosen) {
    const held = known.find(({ id }) => id === platform)
    if (held === undefined) continue
    await startPersistent(platform)
    await unwrap(schedules({ id: platform }).put({ ...held, enabled: true }))
  }
}

interface KeepReadyProps {
  chosen: readonly Platform[]
  onChange: (chosen: readonly Platform[]) => void
}

/** Asks which games to keep in the cache; none, until somebody chooses. */
const KeepReady = (props: KeepReadyProps) => (
  <div className="mt-5 border-t border-line pt-5">
    <p className="font-medium" id="keep-ready">
      {t('firstRun.keepReady')}
    </p>
    <p className="mt-1 text-small text-dim">{t('firstRun.keepReadyHint')}</p>
    <ul aria-labelledby="keep-ready" className="mt-2">
      {offered.map((platform) => (
        <Offer key={platform} platform={platform} {...props} />
      ))}
    </ul>
  </div>
)

function Offer({ platform, chosen, onChange }: KeepReadyProps & { platform: Platform }) {
  const label = t('firstRun.keepGames', { platform: platformFacts[platform].title })
  const others = chosen.filter((one) => one !== platform)
  const isChosen = others.length < chosen.length
  const toggle = () => onChange(isChosen ? others : [...chosen, platform])
  const { data } = useRead(
    [...keys.prefill, 'estimate', platform],
    schedules({ id: platform }).estimate.get,
  )
  return (
    <li className="flex items-center gap-3 py-1.5 pl-2.5">
      <Tick label={label} state={isChosen} onToggle={toggle} />
      <span className="min-w-0 flex-1" onClick={toggle}>
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
