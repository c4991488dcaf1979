import { JobsCard } from '../../../components/jobs-card.tsx'
import { useStaleAfter } from '../../../app/use-stale-after.ts'
import { Card } from '../../../components/card.tsx'
import { Notice, Pending } from '../../../components/notice.tsx'
import { t } from '../../../locales/translate.ts'
import { SettingsPage } from '../settings-page.tsx'
import { LogRetentionCard } from './retention-card.tsx'
import { logsKey, usePositions } from './queries.ts'
import { QuarantineCard } from './quarantine-card.tsx'
import { ReopenCard } from './reopen-card.tsx'
import { SourceCard } from './source-card.tsx'

const jobs = ['logProcessing', 'logRemoval', 'logRotation'] as const
const stale = [logsKey]

/** Read positions of the logs, unparsed lines, and rotation and retention. */
export function Page() {
  const { data, error } = usePositions()
  useStaleAfter(jobs, stale)
  return (
    <SettingsPage title={t('settings.logs')}>
      <JobsCard types={jobs} />
      {data === undefined && (
        <Card title={t('logs.reading')}>
          <Pending error={error} rows={4} />
        </Card>
      )}
      {data !== undefined && data.length === 0 && (
        <Card title={t('logs.reading')}>
          <Notice tone="attention" title={t('health.noLog')}>
            {t('remedy.noLog')}
          </Notice>
        </Card>
      )}
      {data?.map((source) => (
        <SourceCard key={source.datasource} source={source} />
      ))}
      <QuarantineCard />
      <ReopenCard />
      <LogRetentionCard />
    </SettingsPage>
  )
}
