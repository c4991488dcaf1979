import { Link, useLocation } from '@tanstack/react-router'
import {
  hasAccounts,
  platformFacts,
  platformOf,
  platforms,
  isPlatform,
  type Platform,
} from '../../../../platforms/platforms.ts'
import { keys } from '../../../api/client.ts'
import {
  usePrefillSchedules,
  runSchedule,
  type NamedSchedule,
} from '../../../api/prefill-schedules.ts'
import { useIsAccount } from '../../../api/queries.ts'
import { useSave } from '../../../app/use-save.ts'
import { Button, Choice, Form, Switch, optionsOf } from '../../../components/form-controls.tsx'
import { Settled } from '../../../components/settled.tsx'
import { Card, Forbidden, Pending, Row } from '../../../components/card.tsx'
import {
  ChoiceSetting,
  Action,
  Setting,
  useIsWanted,
} from '../../../components/setting-controls.tsx'
import { t } from '../../../locales/translate.ts'
import { AccountState } from '../../../components/platforms/account-row.tsx'
import { usePersistent, usePrefillAccounts } from '../../../api/account-queries.ts'
import { SessionState } from '../../../components/platforms/session-row.tsx'
import { PrefillFrame } from '../prefill-page.tsx'
import { BandwidthCard } from './bandwidth-card.tsx'
import {
  runNow,
  saveConfig,
  useScheduleConfig,
  type ScheduledPrefill,
  addSchedule,
  deleteSchedule,
  saveSchedule,
} from './queries.ts'
import { useState } from 'react'
import { notify } from '../../../components/toast.tsx'
import { ScheduleState, scheduleName } from '../../../components/platforms/schedule-state.tsx'
import { Options, scheduleControls } from './options.tsx'

const modes = ['killOnRestart', 'keepAcrossRestart', 'fullPersistence'] as const
/** What runs on a schedule, and with which accounts. */
export function Page() {
  const isAccount = useIsAccount()
  return <PrefillFrame>{isAccount ? <Content /> : <Forbidden />}</PrefillFrame>
}

function Content() {
  const { data: config, error } = useScheduleConfig()
  return (
    <Settled page="/prefill/schedules">
      <AccountsCard />
      {config === undefined ? (
        <Card title={t('prefill.schedule')}>
          <Pending error={error} rows={5} />
        </Card>
      ) : (
        <Schedules config={config} />
      )}
      <BandwidthCard />
    </Settled>
  )
}

/** Whether each platform has an account, or a session, that schedules can use. */
function AccountsCard() {
  const { data: accounts, error } = usePrefillAccounts()
  const { data: sessions } = usePersistent()
  const isThere = accounts !== undefined && sessions !== undefined
  return (
    <Card
      title={t('prefill.accounts')}
      note={t('prefill.accountsNote')}
      action={
        <Link to="/settings/platform-accounts" className="control h-8">
          {t('prefill.edit')}
        </Link>
      }
    >
      {!isThere && <Pending error={error} rows={platforms.length} />}
      {isThere &&
        platforms.map((platform) => (
          <Row key={platform} title={platformFacts[platform].title}>
            <div className="space-y-1 text-small text-dim">
              {hasAccounts(platform) ? (
                accounts
                  .filter((account) => account.platform === platform)
                  .map((account) => <AccountState key={account.id} account={account} />)
              ) : (
                <SessionState
                  session={sessions.find(({ service }) => platformOf(service) === platform) ?? null}
                />
              )}
            </div>
          </Row>
        ))}
    </Card>
  )
}

function Schedules({ config }: { config: ScheduledPrefill }) {
  const { data: schedules, error } = usePrefillSchedules()
  return (
    <Card
      title={t('prefill.schedule')}
      note={t('prefill.scheduleNote')}
      stale={[keys.prefill, keys.operations]}
      action={
        <Action
          className="h-8"
          label={t('prefill.runAllNow')}
          run={runNow}
          done={t('prefill.runStarted')}
        />
      }
    >
      <Setting id="prefill.scheduled" />
      {schedules === undefined && <Pending error={error} rows={5} />}
      {schedules?.map((one, index) => (
        <ScheduleRow
          key={one.id}
          held={one}
          isTop={index === 0}
          isOnly={schedules.every(({ id, platform }) => platform !== one.platform || id === one.id)}
        />
      ))}
      <NewSchedule />
      <ChoiceSetting
        id="prefill.mode"
        value={config.persistenceMode}
        options={optionsOf(modes, (mode) => t(`prefill.mode.${mode}`))}
        write={(persistenceMode) => saveConfig({ ...config, persistenceMode })}
      />
    </Card>
  )
}

/** Nothing runs before its games and times are chosen: it begins switched off. */
const usual = { enabled: false, notificationMode: 'all', intervalHours: 24, preset: 'All' } as const

/** Adds a schedule to a platform. */
function NewSchedule() {
  const { save, isBusy } = useSave({ stale: [keys.prefill] })
  const [platform, setPlatform] = useState<Platform>('alpha')
  const [name, setName] = useState('')
  const add = () =>
    save({
      run: () => addSchedule({ platform, name: name.trim(), ...usual }),
      done: t('prefill.scheduleAdded'),
      after: () => setName(''),
    })
  return (
    <Row title={t('prefill.newSchedule')} note={t('prefill.newScheduleNote')}>
      <Form onSubmit={add} className="flex flex-wrap items-center gap-2">
        <Choice
          label={t('prefill.schedulePlatform')}
          value={platform}
          options={optionsOf(platforms, (one) => platformFacts[one].title)}
          disabled={isBusy}
          onChange={(one) => isPlatform(one) && setPlatform(one)}
        />
        <input
          aria-label={t('prefill.scheduleName')}
          className="input w-[220px] max-w-full"
          placeholder={t('prefill.scheduleNameHint')}
          maxLength={60}
          autoComplete="off"
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
        <Button type="submit" disabled={isBusy || name.trim() === ''}>
          {t('prefill.addSchedule')}
        </Button>
      </Form>
    </Row>
  )
}

interface ScheduleRowProps {
  held: NamedSchedule
  /** Opens when the address names one of the settings of schedules. */
  isTop: boolean
  /** The only one of its platform needs no name. */
  isOnly: boolean
}

/** One schedule of a platform: its state at rest, its options on demand. */
function ScheduleRow({ held, isTop, isOnly }: ScheduleRowProps) {
  const saving = useSave({ stale: [keys.prefill, keys.operations] })
  const { change, isBusy } = saving
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
        <Action
          label={t('prefill.runOne')}
          name={`${t('prefill.runOne')} ${title}`}
          run={run}
          saving={saving}
          disabled={held.isRunning || held.isQueued}
        />
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
        <fieldset
          aria-label={title}
          disabled={isBusy}
          className="my-2 min-w-0 rounded-control bg-bg px-4 py-3"
        >
          {!isOnly && <Rename name={own} onRename={(next) => set({ name: next })} />}
          <Options held={held} onChange={set} />
          {!held.isFirst && (
            <div className="pt-3">
              <Action
                label={t('prefill.deleteSchedule')}
                consequence={t('prefill.deleteScheduleText')}
                run={() => deleteSchedule(id)}
                done={t('prefill.scheduleDeleted')}
                saving={saving}
              />
            </div>
          )}
        </fieldset>
      )}
    </>
  )
}

function Rename({ name, onRename }: { name: string; onRename: (name: string) => void }) {
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
        <Button type="submit" disabled={!isNew}>
          {t('prefill.save')}
        </Button>
      </Form>
    </Row>
  )
}
