import { useOpen } from '../../../app/use-address.ts'
import { Plus, ArrowDown, ArrowUp, X } from 'lucide-react'
import { Notice, Pending, Card } from '../../../components/card.tsx'
import { t, tn } from '../../../locales/translate.ts'
import { CacheFrame } from '../cache-page.tsx'
import { JobsCard } from '../../../components/jobs-card.tsx'
import { useStaleAfter } from '../../../app/use-jobs.ts'
import { Settled } from '../../../components/settled.tsx'
import { SidePanel } from '../../../components/side-panel.tsx'
import { Button, IconButton } from '../../../components/form-controls.tsx'
import { PendingCard } from './pending-card.tsx'
import { PinsCard } from './pins-card.tsx'
import {
  retentionKey,
  useCanChange,
  useGames,
  useRules,
  useRetentionSettings,
  bodyOf,
  type Rule,
} from './queries.ts'
import { RuleForm } from './rule-form.tsx'
import { sentenceOf } from './sentence.ts'
import { api, unwrap } from '../../../api/client.ts'
import { useSave } from '../../../app/use-save.ts'
import { NumberSetting, SavedSwitch, Action } from '../../../components/setting-controls.tsx'
import { notify } from '../../../components/toast.tsx'

const jobs = ['gameRemoval'] as const
const stale = [retentionKey]

/** Retention rules, games listed for removal, and pinned games. */
export function Page() {
  const { open, show } = useOpen()
  const canChange = useCanChange()
  const rules = useRules()
  useStaleAfter(jobs, stale)
  const shown = rules.data?.find(({ id }) => id === open)
  const isNew = open === 'new'
  return (
    <CacheFrame
      title={t('retention.title')}
      tools={
        canChange && (
          <Button onClick={() => show('new')}>
            <Plus size={15} />
            {t('retention.add')}
          </Button>
        )
      }
    >
      <JobsCard types={jobs} />
      <Settled page="/cache/retention">
        <PendingCard />
        <RulesCard />
        <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-3 lg:grid-cols-2">
          <PinsCard />
          <TimesCard />
        </div>
      </Settled>
      <SidePanel
        isInAddress
        title={t(isNew ? 'retention.add' : 'retention.rule')}
        isOpen={open !== undefined && (isNew || rules.data !== undefined)}
        onClose={() => show(undefined)}
      >
        {shown === undefined && !isNew ? (
          <Notice title={t('retention.ruleGone')} />
        ) : (
          <RuleForm key={open} rule={shown ?? null} onDone={() => show(undefined)} />
        )}
      </SidePanel>
    </CacheFrame>
  )
}

const hours = [0, 1, 6, 12, 24, 48, 72, 168, 336]
const days = [1, 7, 14, 30, 90, 180, 365]

const hoursText = (count: number): string =>
  count === 0
    ? t('retention.atOnce')
    : count >= 48 && count % 24 === 0
      ? tn('retention.days', count / 24)
      : tn('retention.hours', count)

/** How long listed games wait before they are removed. */
function TimesCard() {
  const { data, error } = useRetentionSettings()
  const disabled = !useCanChange()
  const common = { saved: () => t('retention.saved'), disabled }
  type Settings = NonNullable<typeof data>
  const put = (settings: Settings) => unwrap(api.ext.retention.settings.put(settings))
  return (
    <Card stale={[retentionKey]} title={t('retention.times')}>
      {data === undefined && <Pending error={error} rows={2} />}
      {data !== undefined && (
        <>
          <NumberSetting
            id="retention.undoHours"
            value={data.undoHours}
            known={hours}
            text={hoursText}
            write={(undoHours) => put({ ...data, undoHours })}
            {...common}
          />
          <NumberSetting
            id="retention.sparedDays"
            value={data.sparedDays}
            known={days}
            text={(count) => tn('retention.days', count)}
            write={(sparedDays) => put({ ...data, sparedDays })}
            {...common}
          />
        </>
      )}
    </Card>
  )
}

const rulesApi = api.ext.retention.rules
const put = (rule: Rule, part: Partial<Rule>) =>
  unwrap(rulesApi({ id: rule.id }).put(bodyOf({ ...rule, ...part })))

/** All rules in their order, each as a sentence with its state. */
function RulesCard() {
  const { show } = useOpen()
  const { data: rules, error } = useRules()
  const { nameOf } = useGames()
  const canChange = useCanChange()
  const saving = useSave({ stale: [retentionKey] })
  const { save, isBusy } = saving
  const move = (rules: readonly Rule[], from: number, to: number) => {
    const order = rules.toSpliced(from, 1).toSpliced(to, 0, ...rules.slice(from, from + 1))
    save({
      run: async () => {
        for (const [position, rule] of order.entries()) {
          if (rule.position !== position) await put(rule, { position })
        }
      },
      done: t('retention.moved'),
    })
  }
  const askNow = async () => {
    const { listed } = await unwrap(api.ext.retention.ask.post())
    notify(tn('retention.listed', listed))
  }
  return (
    <Card
      title={t('retention.rules')}
      note={t('retention.rulesNote')}
      className="mb-3"
      action={
        canChange &&
        rules?.some(({ isEnabled }) => isEnabled) === true && (
          <Action className="h-8" label={t('retention.askNow')} run={askNow} saving={saving} />
        )
      }
    >
      {rules === undefined && <Pending error={error} rows={3} />}
      {rules !== undefined && rules.length === 0 && (
        <Notice
          title={t('retention.noRules')}
          action={canChange && <Button onClick={() => show('new')}>{t('retention.add')}</Button>}
          className="py-8"
        >
          {t(canChange ? 'retention.noRulesText' : 'retention.adminsOnly')}
        </Notice>
      )}
      <ol>
        {rules?.map((rule, index) => (
          <li
            key={rule.id}
            className="flex flex-wrap items-center gap-x-3 gap-y-2 border-line py-2.5 not-last:border-b"
          >
            <span className="figure w-5 text-right text-dim">{index + 1}</span>
            <button
              type="button"
              className="min-w-[200px] flex-1 text-left hover:underline"
              onClick={() => show(rule.id)}
            >
              <span className="block font-medium wrap-anywhere">{rule.name}</span>
              <span className="block text-[13px] text-dim">{sentenceOf(rule, nameOf)}</span>
            </button>
            <span className="flex items-center gap-3 max-sm:w-full max-sm:justify-end">
              {canChange && (
                <span className="flex items-center">
                  <IconButton
                    label={t('retention.up', { name: rule.name })}
                    isOff={isBusy || index === 0}
                    onClick={() => move(rules, index, index - 1)}
                  >
                    <ArrowUp size={15} />
                  </IconButton>
                  <IconButton
                    label={t('retention.down', { name: rule.name })}
                    isOff={isBusy || index === rules.length - 1}
                    onClick={() => move(rules, index, index + 1)}
                  >
                    <ArrowDown size={15} />
                  </IconButton>
                  <IconButton
                    label={t('retention.delete', { name: rule.name })}
                    isOff={isBusy}
                    onClick={() =>
                      save({
                        run: () => unwrap(rulesApi({ id: rule.id }).delete()),
                        done: t('retention.deleted'),
                        undo: () => unwrap(rulesApi.post(bodyOf(rule))),
                      })
                    }
                  >
                    <X size={15} />
                  </IconButton>
                </span>
              )}
              <SavedSwitch
                label={t('retention.isOn', { name: rule.name })}
                value={rule.isEnabled}
                write={(isEnabled) => put(rule, { isEnabled })}
                saved={(isEnabled) => t(isEnabled ? 'retention.wasOn' : 'retention.wasOff')}
                saving={saving}
                disabled={!canChange}
              />
            </span>
          </li>
        ))}
      </ol>
    </Card>
  )
}
