import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useDetection } from '../../../api/cache-queries.ts'
import { useStatus } from '../../../api/queries.ts'
import { Notice } from '../../../components/notice.tsx'
import { t } from '../../../locales/translate.ts'
import { CacheFrame } from '../cache-page.tsx'
import { JobsCard } from '../../../components/jobs-card.tsx'
import { entriesOf } from '../games/entries.ts'
import { useStaleAfter } from '../../../app/use-stale-after.ts'
import { Settled } from '../../../components/settled.tsx'
import { SidePanel } from '../../../components/side-panel.tsx'
import { Button } from '../../../components/button.tsx'
import { PendingCard } from './pending-card.tsx'
import { PinsCard } from './pins-card.tsx'
import { retentionKey, useRules } from './queries.ts'
import { RuleForm } from './rule-form.tsx'
import { RulesCard } from './rules-card.tsx'
import { shownGame } from './sentence.ts'
import { TimesCard } from './times-card.tsx'

const route = getRouteApi('/cache/retention')
const jobs = ['gameRemoval'] as const
const stale = [retentionKey]

/** Retention rules, games listed for removal, and pinned games. */
export function Page() {
  const { open } = route.useSearch()
  const navigate = useNavigate()
  const canChange = useStatus().data?.sessionType === 'admin'
  const rules = useRules()
  const detection = useDetection().data
  useStaleAfter(jobs, stale)
  const entries = detection === undefined ? [] : entriesOf(detection)
  const games = entries.flatMap(({ key, name, service, kind }) =>
    kind === 'service' ? [] : [{ key, name: shownGame(name), service }],
  )
  const nameOf = (key: string) => games.find((game) => game.key === key)?.name ?? key
  const show = (id: string | undefined) =>
    void navigate({ to: '/cache/retention', search: { open: id }, resetScroll: false })
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
        <PendingCard canChange={canChange} rules={rules.data ?? []} nameOf={nameOf} />
        <RulesCard
          rules={rules.data}
          error={rules.error}
          canChange={canChange}
          nameOf={nameOf}
          onOpen={show}
        />
        <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-3 lg:grid-cols-2">
          <PinsCard games={games} canChange={canChange} />
          <TimesCard canChange={canChange} />
        </div>
      </Settled>
      <SidePanel
        title={t(isNew ? 'retention.add' : 'retention.rule')}
        isOpen={open !== undefined && (isNew || rules.data !== undefined)}
        onClose={() => show(undefined)}
      >
        {shown === undefined && !isNew ? (
          <Notice title={t('retention.ruleGone')} />
        ) : (
          <RuleForm
            key={open}
            rule={shown ?? null}
            games={games}
            canChange={canChange}
            nameOf={nameOf}
            onDone={() => show(undefined)}
          />
        )}
      </SidePanel>
    </CacheFrame>
  )
}
