import { api } from '../../../api/eden.ts'
import { keys } from '../../../api/keys.ts'
import { useAccountRead, useStatus } from '../../../api/queries.ts'
import { Card } from '../../../components/card.tsx'
import { Pending } from '../../../components/notice.tsx'
import { Row } from '../../../components/setting.tsx'
import { countText } from '../../../format/numbers.ts'
import { t } from '../../../locales/translate.ts'
import { JobsCard } from '../../../components/jobs-card.tsx'
import { useStaleAfter } from '../../../app/use-stale-after.ts'
import { SettingsPage } from '../settings-page.tsx'
import { ImportCard } from './import-card.tsx'
import { ResetCard } from './reset-card.tsx'

const jobs = ['databaseReset', 'dataImport'] as const
const stale = [keys.database, keys.batch]

/** What the database counts, a reset, and the import of another instance's downloads. */
export function Page() {
  const { data, error } = useAccountRead(
    [...keys.database, 'entries'],
    api.database['log-entries-count'].get,
  )
  useStaleAfter(jobs, stale)
  const isAdmin = useStatus().data?.sessionType === 'admin'
  return (
    <SettingsPage title={t('settings.database')}>
      <JobsCard types={jobs} />
      <Card title={t('database.contents')}>
        {data === undefined && <Pending error={error} rows={1} />}
        {data !== undefined && (
          <Row title={t('database.entries')} note={t('database.entriesNote')}>
            <span className="figure">{countText(data.count)}</span>
          </Row>
        )}
      </Card>
      {isAdmin && <ImportCard />}
      <ResetCard />
    </SettingsPage>
  )
}
