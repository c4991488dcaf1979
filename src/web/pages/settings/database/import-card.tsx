import type { ConnectionCheck, Overlap } from '../../../../system/migration/model.ts'
import { useState } from 'react'
import { api, unwrap } from '../../../api/eden.ts'
import { keys } from '../../../api/keys.ts'
import { useAccountRead } from '../../../api/queries.ts'
import { useJobs } from '../../../app/use-jobs.ts'
import { useSave } from '../../../app/use-save.ts'
import { Button } from '../../../components/button.tsx'
import { Card } from '../../../components/card.tsx'
import { Field } from '../../../components/field.tsx'
import { Form } from '../../../components/form.tsx'
import { Row, StateLine } from '../../../components/setting.tsx'
import { Switch } from '../../../components/switch.tsx'
import { notify } from '../../../components/toast.tsx'
import { countText } from '../../../format/numbers.ts'
import { fullMomentText } from '../../../format/times.ts'
import { t, type Key } from '../../../locales/translate.ts'
import { connectionText, usualConnection, type Connection } from './connection.ts'

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
export function ImportCard() {
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
