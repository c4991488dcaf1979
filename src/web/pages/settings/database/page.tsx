import { useState } from 'react'
import type { ResetTable } from '../../../../system/database/tables.ts'
import { api, unwrap } from '../../../api/eden.ts'
import { keys } from '../../../api/keys.ts'
import { useAccountRead, useStatus } from '../../../api/queries.ts'
import { useJobs } from '../../../app/use-jobs.ts'
import { useSave } from '../../../app/use-save.ts'
import { useStaleAfter } from '../../../app/use-stale-after.ts'
import { Button } from '../../../components/button.tsx'
import { Card } from '../../../components/card.tsx'
import { Choice } from '../../../components/choice.tsx'
import { JobsCard } from '../../../components/jobs-card.tsx'
import { Pending } from '../../../components/notice.tsx'
import { Row } from '../../../components/setting.tsx'
import { Switch } from '../../../components/switch.tsx'
import { TypedConfirm } from '../../../components/typed-confirm.tsx'
import { countText } from '../../../format/numbers.ts'
import { t } from '../../../locales/translate.ts'
import { SettingsPage } from '../settings-page.tsx'
import { ImportCard } from './import-card.tsx'
import { KeepCard } from './keep-card.tsx'

const jobs = ['databaseReset', 'dataImport', 'historyRetention'] as const
const stale = [keys.database, keys.batch]

/** What the database counts and keeps, a reset, and the import of another instance's downloads. */
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
      <KeepCard />
      {isAdmin && <ImportCard />}
      <ResetCard />
    </SettingsPage>
  )
}

const statistics: readonly ResetTable[] = ['Downloads', 'ClientStats', 'ServiceStats']

/** What can be reset, with its tables. */
const parts = {
  all: statistics,
  statistics,
  names: [
    'AlphaDepotMappings',
    'BetaGameMappings',
    'BetaCdnPatterns',
    'EpsilonGameMappings',
    'EpsilonCdnPatterns',
  ],
  events: ['Events', 'EventDownloads'],
  groups: ['ClientGroups'],
  sizes: ['CacheSnapshots'],
  sessions: ['UserSessions', 'UserPreferences'],
} as const satisfies Record<string, readonly ResetTable[]>
type PartName = keyof typeof parts
const names = Object.keys(parts) as PartName[]

/** Only of what is counted from logs. */
const isCounted = (name: PartName) => name === 'statistics'

/** Deletes everything, or a part, after the word was typed. */
function ResetCard() {
  const [name, setName] = useState<PartName>('all')
  const [countsAgain, setCountsAgain] = useState(true)
  const [isAsking, setIsAsking] = useState(false)
  const { isBusy: isWorking } = useJobs(['databaseReset'])
  const { save, isBusy } = useSave({ stale: [keys.database, keys.operations] })
  const consequence = t(`database.partText.${name}`)
  const run = () => {
    if (name === 'all') return unwrap(api.database.delete())
    const again: readonly ResetTable[] = isCounted(name) && countsAgain ? ['LogEntries'] : []
    return unwrap(api.database.tables.delete({ tables: [...again, ...parts[name]] }))
  }
  return (
    <Card title={t('database.reset')} note={t('database.resetNote')}>
      <Row title={t('database.what')} note={consequence}>
        <Choice
          value={name}
          options={names.map((value) => ({ value, label: t(`database.part.${value}`) }))}
          disabled={isBusy || isWorking}
          onChange={setName}
        />
        <Button disabled={isBusy || isWorking} onClick={() => setIsAsking(true)}>
          {t('database.resetAction')}
        </Button>
      </Row>
      {isCounted(name) && (
        <Row title={t('database.again')} note={t('database.againNote')}>
          <Switch isOn={countsAgain} onChange={setCountsAgain} />
        </Row>
      )}
      {isAsking && (
        <TypedConfirm
          title={`${t('database.reset')}: ${t(`database.part.${name}`)}`}
          consequence={consequence}
          word={t('database.word')}
          action={t('database.resetAction')}
          isBusy={isBusy}
          onClose={() => setIsAsking(false)}
          onConfirm={() => {
            setIsAsking(false)
            save({ run, done: t('database.resetStarted') })
          }}
        />
      )}
    </Card>
  )
}
