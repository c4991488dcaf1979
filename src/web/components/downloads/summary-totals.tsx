import type { ReactNode } from 'react'
import type { DownloadsSummary } from '../../api/report-queries.ts'
import type { Range } from '../../app/range.ts'
import { useFirstReadText } from '../card.tsx'
import { Total, Totals } from '../totals.tsx'
import { countText } from '../../format/numbers.ts'
import { t } from '../../locales/translate.ts'

const numbers = {
  bytes: 'summary.servedBytes',
  downloads: 'summary.downloads',
  ratio: 'summary.cacheHitRatio',
} as const

interface SummaryTotalsProps {
  label: string
  /** Undefined while loading. */
  summary: DownloadsSummary | undefined
  range: Range
  /** False where all downloads are of one game. */
  hasGames?: boolean
  /** Further figures, each a `Total`. */
  children?: ReactNode
}

/** Sums over the downloads that the page lists, in its range and with its filters. */
export function SummaryTotals(props: SummaryTotalsProps) {
  const { label, summary, range, hasGames = true, children } = props
  const { hitBytes = 0, missBytes = 0, downloads = 0 } = summary?.totals ?? {}
  const reading = useFirstReadText()
  const shown = (count = 0) => (reading !== null && downloads === 0 ? '–' : countText(count))
  const explain = (number: 'summary.clients' | 'summary.games', name: string) => ({
    name,
    explained: { number, name, range },
  })
  return (
    <Totals
      label={label}
      cached={hitBytes}
      fetched={missBytes}
      downloads={downloads}
      isLoading={summary === undefined}
      explained={{ range }}
      numbers={numbers}
    >
      {hasGames && (
        <Total {...explain('summary.games', t('nav.games'))}>{shown(summary?.games)}</Total>
      )}
      <Total {...explain('summary.clients', t('nav.clients'))}>{shown(summary?.clients)}</Total>
      {children}
    </Totals>
  )
}
