import { clsx } from 'clsx'
import type { ReactNode } from 'react'
import { byteAmount, countText, percentText, share } from '../format/numbers.ts'
import { t } from '../locales/translate.ts'
import { Explain } from './explain.tsx'
import type { Explained, ExplainedOver } from './explained.ts'
import { Composition, Figure } from './figures.tsx'
import { useFirstReadText } from './card.tsx'

/** Keys of the figures' definitions. */
const ofEverybody = {
  bytes: 'dashboard.period.totalServed',
  downloads: 'dashboard.period.downloads',
  ratio: 'dashboard.period.hitRatio',
} as const satisfies TotalNumbers

interface TotalNumbers {
  bytes: Explained['number']
  downloads: Explained['number']
  ratio: Explained['number']
}

interface TotalsProps {
  label: string
  cached: number
  fetched: number
  downloads: number
  /** Given when the figures have explanations. */
  explained?: ExplainedOver
  /** Keys of the figures' definitions; by default those of all clients in a range. */
  numbers?: TotalNumbers
  /** Keeps the space of figures that are not known yet. */
  isLoading?: boolean
  /** Further figures, each a `Total`. */
  children?: ReactNode
}

/** The figures at the top of a report page. */
export function Totals(props: TotalsProps) {
  const { label, cached, fetched, downloads, explained, numbers = ofEverybody, children } = props
  const { isLoading = false } = props
  const bytes = cached + fetched
  const firstRead = useFirstReadText()
  const reading = bytes === 0 ? firstRead : null
  const withRange = (figure: keyof TotalNumbers, name: string) =>
    explained === undefined ? {} : { explained: { ...explained, number: numbers[figure], name } }
  return (
    <section
      aria-label={label}
      aria-busy={isLoading}
      className={clsx(
        // Columns on a phone: figures that grow wider while they are shown begin no line anew.
        'card mb-3 grid grid-cols-2 items-center gap-x-10 gap-y-3 px-5 py-4 sm:flex sm:flex-wrap',
        isLoading && 'skeleton *:invisible',
      )}
    >
      <Total name={t('column.bytes')} {...withRange('bytes', t('column.bytes'))}>
        <Figure
          amount={reading === null ? byteAmount(bytes) : { value: '–', unit: '' }}
          className="text-[22px] leading-none font-bold tracking-tight"
        />
      </Total>
      <Total name={t('nav.downloads')} {...withRange('downloads', t('nav.downloads'))}>
        {reading === null ? countText(downloads) : '–'}
      </Total>
      {children}
      <div className="col-span-2 min-w-[180px] flex-1">
        <p className="mb-1.5 flex items-center gap-1 text-small text-dim">
          {reading ??
            t('download.fromCache', {
              percent: bytes === 0 ? '–' : percentText(share(cached, bytes)),
            })}
          {explained !== undefined && (
            <Explain {...explained} number={numbers.ratio} name={t('column.percent')} />
          )}
        </p>
        <Composition cached={cached} fetched={fetched} />
      </div>
    </section>
  )
}

interface AllTimeProps {
  /** What the figures are of. */
  of: 'client' | 'game' | 'service'
  totals: { servedBytes: number; downloads: number; cacheHitRatio: number }
  children: ReactNode
}

/** A `Total` of all time or of the present, and its explanation. */
export const explain = (number: Explained['number'], name: string) => ({
  name,
  explained: { number, name },
})

/** The figures of a report page that do not follow its range, in one labelled row. */
export const AllTime = ({ of, totals, children }: AllTimeProps) => (
  <section
    aria-label={t('range.span.all')}
    className="card mb-3.5 flex flex-wrap items-center gap-x-10 gap-y-3 px-5 py-3.5"
  >
    <h2 className="text-card font-semibold">{t('range.span.all')}</h2>
    <Total {...explain(`${of}.servedBytes`, t('column.bytes'))}>
      <Figure amount={byteAmount(totals.servedBytes)} />
    </Total>
    <Total {...explain(`${of}.cacheHitRatio`, t('column.percent'))}>
      {percentText(totals.cacheHitRatio * 100)}
    </Total>
    <Total {...explain(`${of}.downloads`, t('nav.downloads'))}>{countText(totals.downloads)}</Total>
    {children}
  </section>
)

interface TotalProps {
  name: string
  explained?: Explained
  children: ReactNode
}

export const Total = ({ name, explained, children }: TotalProps) => (
  <div>
    <p className="flex items-center gap-1 text-small text-dim">
      {name}
      {explained !== undefined && <Explain {...explained} />}
    </p>
    <p className="figure leading-7">{children}</p>
  </div>
)
