import type { ReactNode } from 'react'
import { byteAmount, countText, percentText, share } from '../format/numbers.ts'
import { t } from '../locales/translate.ts'
import { Composition, Figure } from './figures.tsx'

interface TotalsProps {
  label: string
  cached: number
  fetched: number
  downloads: number
  /** Further facts, each a `Total`. */
  children?: ReactNode
}

/** The figures at the head of a page about one thing. */
export function Totals({ label, cached, fetched, downloads, children }: TotalsProps) {
  return (
    <section
      aria-label={label}
      className="card mb-3 flex flex-wrap items-center gap-x-10 gap-y-3 px-5 py-4"
    >
      <Total name={t('column.bytes')}>
        <Figure
          amount={byteAmount(cached + fetched)}
          className="text-[22px] leading-7 font-bold tracking-tight"
        />
      </Total>
      <Total name={t('nav.downloads')}>{countText(downloads)}</Total>
      {children}
      <div className="min-w-[180px] flex-1">
        <p className="mb-1.5 text-small text-dim">
          {t('download.fromCache', { percent: percentText(share(cached, cached + fetched)) })}
        </p>
        <Composition cached={cached} fetched={fetched} />
      </div>
    </section>
  )
}

export function Total({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <p className="text-small text-dim">{name}</p>
      <p className="figure leading-7">{children}</p>
    </div>
  )
}
