import { Card } from '../../../components/card.tsx'
import { countText } from '../../../format/numbers.ts'
import { t, tn } from '../../../locales/translate.ts'
import type { Scan } from './queries.ts'
import { skipText } from './texts.ts'

/** Files that the scan could not judge, with reasons; renders nothing without any. */
export function NotJudged({ scan }: { scan: Scan }) {
  const reasons = Object.entries(scan.coverage?.skippedByReason ?? {})
    .filter(([, count]) => count > 0)
    .toSorted(([, a], [, b]) => b - a)
  if (reasons.length === 0) return null
  const total = reasons.reduce((sum, [, count]) => sum + count, 0)
  return (
    <Card
      title={t('corruption.notJudged')}
      note={tn('corruption.notJudgedNote', total)}
      className="mb-3"
    >
      <table className="w-full text-[13px]">
        <thead className="sr-only">
          <tr>
            <th scope="col">{t('corruption.reason')}</th>
            <th scope="col">{t('corruption.files')}</th>
          </tr>
        </thead>
        <tbody>
          {reasons.map(([reason, count]) => (
            <tr key={reason} className="border-line not-last:border-b">
              <td className="py-1.5 pr-4">{skipText(reason)}</td>
              <td className="figure py-1.5 text-right align-top">{countText(count)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Card>
  )
}
