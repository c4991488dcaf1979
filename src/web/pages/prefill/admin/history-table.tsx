import { Notice, Pending } from '../../../components/notice.tsx'
import { Table } from '../../../components/table.tsx'
import { Time } from '../../../components/time.tsx'
import { useNow } from '../../../app/use-now.ts'
import { byteText } from '../../../format/numbers.ts'
import { t, type Key } from '../../../locales/translate.ts'
import { reasonText } from '../../../format/reason-text.ts'
import { scheduleName } from '../../../components/platforms/schedule-state.tsx'
import { useSessionHistory } from './queries.ts'

const statuses: Readonly<Record<string, Key>> = {
  InProgress: 'prefill.gameRunning',
  Completed: 'prefill.gameDone',
  Cached: 'prefill.gameCached',
  Failed: 'prefill.gameFailed',
  Cancelled: 'prefill.statusCancelled',
}

/** Rows shown of one session. */
const shownMax = 200

/** The games of one session. */
export function HistoryTable({ sessionId }: { sessionId: string }) {
  const { data, error } = useSessionHistory(sessionId)
  const now = useNow(30_000)
  if (data === undefined) return <Pending error={error} rows={2} />
  if (data.length === 0) return <Notice title={t('prefill.noHistory')} />
  return (
    <Table
      label={t('prefill.history')}
      head={[t('prefill.game'), t('prefill.state'), t('prefill.bytes'), t('prefill.at')]}
      ends={[2, 3]}
      className="mt-3"
    >
      {data.slice(0, shownMax).map((row) => {
        const status = statuses[row.status]
        return (
          <tr key={row.id} className="border-b border-line last:border-b-0">
            <td className="max-w-[260px] truncate py-1.5 pr-3">{row.appName ?? row.appId}</td>
            <td className="py-1.5 pr-3">
              {status === undefined ? row.status : t(status)}
              {row.scheduleName !== null &&
                ` ${t('prefill.bySchedule', { schedule: scheduleName(row.scheduleName) })}`}
              {row.errorMessage !== null && ` · ${reasonText(row.errorMessage)}`}
            </td>
            <td className="py-1.5 pr-3 text-right">{byteText(row.bytesDownloaded)}</td>
            <td className="py-1.5 pr-3 text-right whitespace-nowrap">
              <Time at={row.startedAtUtc} now={now} />
            </td>
          </tr>
        )
      })}
    </Table>
  )
}
