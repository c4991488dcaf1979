import { clsx } from 'clsx'
import { Check, Info } from 'lucide-react'
import { useId } from 'react'
import { byteText } from '../../format/numbers.ts'
import { t } from '../../locales/translate.ts'
import { Artwork } from '../artwork.tsx'
import { Dot } from '../figures.tsx'
import type { ShelfItem } from './items.ts'

interface TileProps {
  item: ShelfItem
  coverHeight: number
  isSelected: boolean
  /** Reached by the tabulator key. */
  isCurrent: boolean
  onToggle: () => void
  onFocus: () => void
  /** Absent: there is nothing more to show of it. */
  onOpen: (() => void) | undefined
}

/** A cover with its state and size; a click chooses it. */
export function Tile(props: TileProps) {
  const { item, coverHeight, isSelected, isCurrent, onToggle, onFocus, onOpen } = props
  const { name, service, image, badge, note, bytes, isOff = false, percent = null } = item
  const id = useId()
  const line = [bytes === null ? '' : byteText(bytes), note].filter((part) => part !== '')
  return (
    <div className="group relative">
      <button
        type="button"
        role="checkbox"
        aria-checked={isSelected}
        aria-labelledby={`${id}-name`}
        aria-describedby={`${id}-more`}
        aria-disabled={isOff}
        tabIndex={isCurrent ? 0 : -1}
        title={name}
        onFocus={onFocus}
        onClick={() => isOff || onToggle()}
        className={clsx('block w-full rounded-card text-left', isOff && 'cursor-default')}
      >
        <span
          className={clsx(
            'relative block overflow-hidden rounded-card border',
            isSelected ? 'border-cache outline-2 outline-cache' : 'border-line',
            isOff && 'opacity-55',
          )}
          style={{ height: coverHeight }}
        >
          <Artwork name={name} service={service} game={image} className="size-full" />
          <span
            aria-hidden="true"
            className={clsx(
              'absolute top-1.5 right-1.5 grid size-[22px] place-items-center rounded-[6px] border',
              isSelected
                ? 'border-transparent bg-cache text-on-accent'
                : 'border-edge bg-panel/85 opacity-0 group-focus-within:opacity-100 group-hover:opacity-100',
              isOff && 'hidden',
            )}
          >
            {isSelected && <Check size={15} strokeWidth={3} />}
          </span>
          {percent !== null && (
            <span className="absolute inset-x-0 bottom-0 h-[5px] bg-panel/85">
              <span className="block h-full bg-cache" style={{ width: `${percent}%` }} />
            </span>
          )}
        </span>
        <span className="block h-[54px] pt-1.5">
          <span
            id={`${id}-name`}
            className="block truncate text-[13px] leading-5 font-medium pointer-coarse:pr-7"
          >
            {name}
          </span>
          <span id={`${id}-more`} className="figure block truncate text-small text-dim">
            {badge !== null && <span className="sr-only">{`${badge.label} · `}</span>}
            {line.join(' · ')}
          </span>
        </span>
      </button>
      {badge !== null && (
        <span
          aria-hidden="true"
          className="pointer-events-none absolute top-1.5 left-1.5 flex max-w-[75%] items-center gap-1.5 truncate rounded-[6px] bg-panel/90 px-1.5 py-0.5 text-tiny"
        >
          <Dot tone={badge.tone} pulsing={percent !== null} />
          {badge.label}
        </span>
      )}
      {onOpen !== undefined && (
        <button
          type="button"
          data-in-field
          aria-label={t('shelf.details', { name })}
          tabIndex={isCurrent ? 0 : -1}
          onClick={onOpen}
          className="absolute right-0 bottom-[30px] hidden size-6 place-items-center rounded-control bg-bg text-dim group-focus-within:grid group-hover:grid hover:text-text pointer-coarse:grid"
        >
          <Info size={15} />
        </button>
      )}
    </div>
  )
}
