import { api, unwrap } from '../../../api/eden.ts'
import { useStatus } from '../../../api/queries.ts'
import { Button } from '../../../components/button.tsx'
import { Card } from '../../../components/card.tsx'
import { Row } from '../../../components/setting.tsx'
import { t } from '../../../locales/translate.ts'
import { useSave } from '../../../app/use-save.ts'
import { logsKey, useQuarantine } from './queries.ts'

/** Rows shown; the API's list has more. */
const shownRows = 20

/** Rows that the history refused, with a button to send them again; renders nothing without any. */
export function QuarantineCard() {
  const { data } = useQuarantine()
  const isAdmin = useStatus().data?.sessionType === 'admin'
  const { save, isBusy } = useSave({ stale: [logsKey] })
  if (data === undefined || data.total === 0) return null
  const run = () => unwrap(api.ext.logs.quarantine.retry.post())
  return (
    <Card title={t('logs.quarantine')} note={t('logs.quarantineNote')}>
      <Row title={t('logs.quarantineCount', { count: data.total })} note={data.rows[0]?.reason}>
        {isAdmin && (
          <Button
            disabled={isBusy}
            onClick={() => save({ run, done: t('logs.quarantineRetried') })}
          >
            {t('logs.quarantineRetry')}
          </Button>
        )}
      </Row>
      <ul className="space-y-1 pt-3 text-small text-dim">
        {data.rows.slice(0, shownRows).map(({ id, reason, sample }) => (
          <li key={id} className="break-all">
            {reason}: <code>{sample}</code>
          </li>
        ))}
      </ul>
    </Card>
  )
}
