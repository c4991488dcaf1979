import { useState } from 'react'
import type { ResetTable } from '../../../../system/database/tables.ts'
import { api, unwrap, keys } from '../../../api/client.ts'
import { useAccountRead, useServiceStatus, useStatus } from '../../../api/queries.ts'
import { useJobs, useStaleAfter } from '../../../app/use-jobs.ts'
import { useSave } from '../../../app/use-save.ts'
import { Button, Choice, Switch, Field, Form } from '../../../components/form-controls.tsx'
import { Card, Pending, Row, StateLine } from '../../../components/card.tsx'
import { JobsCard } from '../../../components/jobs-card.tsx'
import { TypedConfirm } from '../../../components/typed-confirm.tsx'
import { countText, byteText } from '../../../format/numbers.ts'
import { t, type Key } from '../../../locales/translate.ts'
import { SettingsPage } from '../settings-page.tsx'
import { useHistoryRetention } from '../../../api/report-queries.ts'
import { Action, AmountSetting } from '../../../components/setting-controls.tsx'
import { dayText, fullMomentText } from '../../../format/times.ts'
import type { ConnectionCheck, Overlap } from '../../../../system/migration/model.ts'
import { notify } from '../../../components/toast.tsx'
import { connectionText, usualConnection, type Connection } from './connection.ts'

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
        <ReplicaRow />
      </Card>
      <KeepCard />
      {isAdmin && <ImportCard />}
      <ResetCard />
    </SettingsPage>
  )
}

const replicaTones = { used: 'good', late: 'quiet', away: 'attention' } as const

/** Whether the configured replica answers reports; nothing without one. */
function ReplicaRow() {
  const replica = useServiceStatus().data?.history.replica ?? null
  if (replica === null) return null
  return (
    <Row title={t('database.replica')} {...(replica.message !== null && { note: replica.message })}>
      <StateLine tone={replicaTones[replica.state]}>
        {t(`database.replicaState.${replica.state}`)}
      </StateLine>
    </Row>
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

/** As on the server. */
const monthsMax = 1200

/** How many months of single downloads are kept, and what a run would delete. */
function KeepCard() {
  const { data, error } = useHistoryRetention()
  const preview = useAccountRead(
    [...keys.database, 'retention', 'preview'],
    api.ext.history.retention.preview.get,
  ).data
  const saving = useSave({ stale: [keys.database, keys.operations] })
  const { isBusy: isRunning } = useJobs(['historyRetention'])
  const isOn = preview !== undefined && preview.until !== null
  return (
    <Card title={t('database.keep')} note={t('database.keepNote')}>
      {data === undefined && <Pending error={error} rows={2} />}
      {data !== undefined && (
        <>
          <AmountSetting
            id="history.keepMonths"
            unit={t('database.months')}
            range={[1, monthsMax]}
            value={data.keepMonths}
            saving={saving}
            write={(keepMonths) => unwrap(api.ext.history.retention.put({ keepMonths }))}
          />
          {isOn && (
            <Row
              title={t('database.keepPlan', { day: dayText(new Date(preview.until ?? '')) })}
              note={t('database.keepPreview', {
                downloads: countText(preview.downloads),
                partitions: countText(preview.partitions),
                bytes: byteText(preview.bytes),
              })}
            >
              <Action
                label={t('database.keepRun')}
                run={() => unwrap(api.ext.history.retention.run.post())}
                done={t('database.keepStarted')}
                saving={saving}
                disabled={isRunning || preview.downloads + preview.partitions === 0}
              />
            </Row>
          )}
        </>
      )}
    </Card>
  )
}

const fields: readonly (readonly [keyof Connection, Key])[] = [
  ['host', 'database.host'],
  ['port', 'database.port'],
  ['database', 'database.name'],
  ['user', 'database.user'],
  ['password', 'database.password'],
]

/** Why downloads were not imported, in this order. */
const reasons = [
  'existing',
  'counted',
  'missing',
  'time',
  'duration',
  'bytes',
  'requests',
  'text',
  'history',
] as const

const useImportStatus = () =>
  useAccountRead([...keys.database, 'import'], api.migration.import.status.get)

/** Downloads of another instance: the connection is tried first, then they are copied. */
function ImportCard() {
  const [connection, setConnection] = useState(usualConnection)
  const [overwrites, setOverwrites] = useState(false)
  const [takesOverlap, setTakesOverlap] = useState(false)
  const [notImported, setNotImported] = useState<Record<string, number>>({})
  const [checked, setChecked] = useState<ConnectionCheck | null>(null)
  const { isBusy: isWorking } = useJobs(['dataImport'])
  const { data: status } = useImportStatus()
  const { save, isBusy } = useSave({ stale: [keys.database, keys.operations] })
  const isFilled = connection.host.trim() !== '' && connection.database.trim() !== ''
  const check = () =>
    save({
      run: async () => {
        const connectionString = connectionText(connection)
        const query = { connectionString }
        setChecked(await unwrap(api.migration['validate-connection'].get({ query })))
      },
    })
  const copy = () =>
    save({
      run: async () => {
        const connectionString = connectionText(connection)
        const overlap = takesOverlap ? ('import' as const) : ('skip' as const)
        const body = { connectionString, overwriteExisting: overwrites, overlap }
        const outcome = await unwrap(api.migration['import-service'].post(body))
        const { imported, skipped, errors } = outcome
        setNotImported(outcome.reasons)
        const counts = {
          imported: countText(imported),
          skipped: countText(skipped),
          errors: countText(errors),
        }
        notify(t('database.imported', counts))
      },
    })
  return (
    <Card title={t('database.import')} note={t('database.importNote')}>
      <Form onSubmit={check}>
        <div className="grid gap-3 sm:grid-cols-2 lg:grid-cols-3">
          {fields.map(([name, label]) => (
            <Field
              key={name}
              label={t(label)}
              type={name === 'password' ? 'password' : 'text'}
              autoComplete="off"
              spellCheck={false}
              value={connection[name]}
              onChange={({ target }) => {
                setConnection({ ...connection, [name]: target.value })
                setChecked(null)
              }}
            />
          ))}
        </div>
        <div className="mt-4">
          <Row title={t('database.overwrite')} note={t('database.overwriteNote')}>
            <Switch isOn={overwrites} onChange={setOverwrites} />
          </Row>
        </div>
        {checked?.overlap != null && (
          <div className="mt-4">
            <Row title={t('database.overlap')} note={<OverlapNote overlap={checked.overlap} />}>
              <Switch isOn={takesOverlap} onChange={setTakesOverlap} />
            </Row>
          </div>
        )}
        <div className="mt-3 flex flex-wrap items-center gap-2">
          <Button type="submit" disabled={!isFilled || isBusy || isWorking}>
            {t('database.check')}
          </Button>
          <Button disabled={checked?.valid !== true || isBusy || isWorking} onClick={copy}>
            {t('database.importAction')}
          </Button>
          <span role="status" className="text-small text-dim">
            <Found
              checked={checked}
              left={status?.isProcessing === false ? status.message : null}
            />
          </span>
        </div>
      </Form>
      <ul className="mt-3 text-small text-dim">
        {reasons.map((name) => {
          const count = notImported[name] ?? 0
          const values = { count: countText(count) }
          return count > 0 && <li key={name}>{t(`database.reason.${name}`, values)}</li>
        })}
      </ul>
    </Card>
  )
}

/** What the source holds of the time that Larder counted itself, and what importing it does. */
function OverlapNote({ overlap }: { overlap: Overlap }) {
  const { downloads, days, services, firstLineUtc } = overlap
  const first = fullMomentText(new Date(firstLineUtc))
  return (
    <>
      {t('database.overlapFound', { count: countText(downloads), first })}{' '}
      {days > 0 &&
        t('database.overlapDays', { days: countText(days), services: services.join(', ') })}{' '}
      {t('database.overlapNote')}
    </>
  )
}

/** What the check found, or what an interrupted import left. */
function Found({ checked, left }: { checked: ConnectionCheck | null; left: string | null }) {
  if (checked?.valid === true) {
    const count = countText(checked.recordCount ?? 0)
    return <StateLine tone="good">{t('database.found', { count })}</StateLine>
  }
  if (checked !== null) return <StateLine tone="bad">{checked.message}</StateLine>
  return left === null ? null : <StateLine tone="attention">{left}</StateLine>
}
