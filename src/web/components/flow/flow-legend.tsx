import { rateText } from '../../format/numbers.ts'
import { fullMomentText } from '../../format/times.ts'
import type { Series } from '../../live/samples.ts'
import { t } from '../../locales/translate.ts'

/** A legend of the two data colours; under the pointer with their figures. */
export function FlowLegend({ series, index }: { series: Series; index: number | null }) {
  const at = index === null ? undefined : series[0][index]
  const cached = index === null ? null : (series[1][index] ?? null)
  const total = index === null ? null : (series[2][index] ?? null)
  const hasValues = at !== undefined && cached !== null && total !== null
  return (
    <p className="figure mt-2 flex min-h-5 flex-wrap gap-x-4 text-small text-dim">
      <span className="flex items-center gap-2">
        <span aria-hidden="true" className="size-2 rounded-full bg-cache" />
        {t('bytes.cached')}
        {hasValues && <strong className="font-semibold text-text">{rateText(cached)}</strong>}
      </span>
      <span className="flex items-center gap-2">
        <span aria-hidden="true" className="size-2 rotate-45 rounded-[1px] bg-fetched" />
        {t('bytes.fetched')}
        {hasValues && (
          <strong className="font-semibold text-text">{rateText(total - cached)}</strong>
        )}
      </span>
      {hasValues && <span className="ml-auto">{fullMomentText(new Date(at * 1000))}</span>}
    </p>
  )
}
