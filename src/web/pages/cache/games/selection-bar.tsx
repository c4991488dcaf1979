import { Button } from '../../../components/button.tsx'
import { ShelfBar } from '../../../components/shelf/shelf-bar.tsx'
import { byteText, countText } from '../../../format/numbers.ts'
import { t, tn } from '../../../locales/translate.ts'
import { sumOf, type Entry } from './entries.ts'

interface SelectionBarProps {
  chosen: readonly Entry[]
  isBarred: boolean
  onClear: () => void
  onRemove: () => void
}

/** What the selected entries free, and their removal; stays visible while scrolling. */
export function SelectionBar({ chosen, isBarred, onClear, onRemove }: SelectionBarProps) {
  const { bytes, files } = sumOf(chosen)
  return (
    <ShelfBar
      label={t('cache.selection')}
      actions={
        <>
          {chosen.length > 0 && <Button onClick={onClear}>{t('cache.unselect')}</Button>}
          <Button
            className="border-bad text-bad"
            disabled={isBarred || chosen.length === 0}
            onClick={onRemove}
          >
            {t('removal.ask')}
          </Button>
        </>
      }
    >
      {chosen.length === 0 ? (
        <p className="text-dim">{t('cache.choose')}</p>
      ) : (
        <p className="figure" title={t('cache.exactly', { bytes: countText(bytes) })}>
          <strong className="font-semibold">{tn('count.selected', chosen.length)}</strong>
          <span className="text-dim">
            {` · ${t('cache.willFree', { size: byteText(bytes) })} · ${tn('count.files', files)}`}
          </span>
        </p>
      )}
    </ShelfBar>
  )
}
