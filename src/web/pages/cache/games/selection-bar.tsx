import { byteText, countText } from '../../../format/numbers.ts'
import { t, tn } from '../../../locales/translate.ts'
import { sumOf, type Entry } from './entries.ts'
import { Button } from '../../../components/button.tsx'

interface SelectionBarProps {
  chosen: readonly Entry[]
  isBarred: boolean
  onClear: () => void
  onRemove: () => void
}

/** Selected entries and the actions on them; stays visible while scrolling. */
export function SelectionBar({ chosen, isBarred, onClear, onRemove }: SelectionBarProps) {
  if (chosen.length === 0) return null
  const { bytes, files } = sumOf(chosen)
  return (
    <div
      role="region"
      aria-label={t('cache.selection')}
      className="sticky bottom-16 z-20 mx-auto mt-3 flex w-fit max-w-full flex-wrap items-center gap-3 rounded-card border border-line bg-raise px-4 py-2.5 shadow-lg md:bottom-4"
    >
      <p
        className="figure"
        aria-live="polite"
        title={t('cache.exactly', { bytes: countText(bytes) })}
      >
        <strong className="font-semibold">{tn('count.selected', chosen.length)}</strong>
        <span className="text-dim">
          {' · '}
          {byteText(bytes)} · {tn('count.files', files)}
        </span>
      </p>
      <Button onClick={onClear}>{t('cache.unselect')}</Button>
      <Button className="border-bad text-bad" disabled={isBarred} onClick={onRemove}>
        {t('removal.ask')}
      </Button>
    </div>
  )
}
