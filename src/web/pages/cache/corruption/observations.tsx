import { byteText } from '../../../format/numbers.ts'
import { durationText, momentText } from '../../../format/times.ts'
import { t } from '../../../locales/translate.ts'
import type { MissEvidence } from './candidate.ts'
import { Table } from '../../../components/table.tsx'

/** The first with its time, the others with their offset from it. */
function timeText(timestamp: string, first: string | null): string {
  if (first === null) return momentText(new Date(timestamp), new Date())
  return `+ ${durationText((Date.parse(timestamp) - Date.parse(first)) / 1000)}`
}

/** Log lines that are the evidence, oldest first. */
export function Observations({ evidence }: { evidence: MissEvidence }) {
  const first = evidence.observations[0]?.timestamp ?? null
  return (
    <section className="mb-5">
      <h3 className="mb-1.5 text-card font-semibold">{t('corruption.observations')}</h3>
      <Table
        label={t('corruption.observations')}
        head={[
          t('corruption.when'),
          t('column.client'),
          t('corruption.answer'),
          t('corruption.sent'),
        ]}
        ends={[3]}
      >
        {evidence.observations.map((seen, index) => (
          // Two equal lines are two observations; their order never changes.
          // oxlint-disable-next-line react/no-array-index-key
          <tr key={index} className="border-line not-last:border-b">
            <td className="py-1.5 pr-3 whitespace-nowrap">
              {timeText(seen.timestamp, index === 0 ? null : first)}
            </td>
            <td className="py-1.5 pr-3">{seen.clientIp}</td>
            <td className="py-1.5 pr-3 whitespace-nowrap">
              {seen.httpStatus} {seen.cacheStatus}
            </td>
            <td className="py-1.5 pr-3 text-right whitespace-nowrap">
              {byteText(seen.bytesServed)}
            </td>
          </tr>
        ))}
      </Table>
    </section>
  )
}
