import { useVirtualizer } from '@tanstack/react-virtual'
import { useRef } from 'react'
import { Tick } from '../../../components/form-controls.tsx'
import { t } from '../../../locales/translate.ts'
import type { Game } from '../queries.ts'

interface GameRowsProps {
  games: readonly Game[]
  selected: ReadonlySet<string>
  upToDate: ReadonlySet<string>
  onToggle: (id: string) => void
}

const rowHeight = 44

/** A library may have thousands of games: only the visible rows exist. */
export function GameRows({ games, selected, upToDate, onToggle }: GameRowsProps) {
  const frame = useRef<HTMLDivElement>(null)
  // oxlint-disable-next-line react/incompatible-library -- we do not memoise what it returns
  const virtual = useVirtualizer({
    count: games.length,
    getScrollElement: () => frame.current,
    estimateSize: () => rowHeight,
    overscan: 8,
  })
  return (
    <div
      ref={frame}
      className="max-h-[420px] overflow-y-auto border-t border-line"
      tabIndex={0}
      role="group"
      aria-label={t('prefill.library')}
    >
      <ul className="relative" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, start }) => {
          const game = games[index]
          if (game === undefined) return null
          return (
            <li
              key={game.id}
              aria-setsize={games.length}
              aria-posinset={index + 1}
              className="absolute inset-x-0 flex items-center gap-3 border-b border-line pr-2"
              style={{ height: rowHeight, transform: `translateY(${start}px)` }}
            >
              <Tick
                label={game.name}
                state={selected.has(game.id)}
                onToggle={() => onToggle(game.id)}
              />
              <span className="min-w-0 flex-1 truncate" onClick={() => onToggle(game.id)}>
                {game.name}
              </span>
              {upToDate.has(game.id) && (
                <span className="flex-none text-small text-dim">{t('prefill.upToDate')}</span>
              )}
              <span className="figure flex-none text-small text-dim max-sm:hidden">{game.id}</span>
            </li>
          )
        })}
      </ul>
    </div>
  )
}
