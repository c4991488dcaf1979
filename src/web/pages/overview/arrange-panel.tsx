import { GripVertical } from 'lucide-react'
import { useRef, useState, type PointerEvent } from 'react'
import { keys } from '../../api/client.ts'
import { useIsAccount } from '../../api/queries.ts'
import { useSave } from '../../app/use-save.ts'
import { Button } from '../../components/form-controls.tsx'
import { t } from '../../locales/translate.ts'
import { moved, storeArrangement } from './arrange.ts'
import { extra, readArrangement, writeArrangement, type Arrangement } from './arrangement.ts'
import { choose, useOwner } from './use-arrangement.ts'

const steps: Record<string, number> = { ArrowUp: -1, ArrowDown: 1 }

/** Shows, hides and orders the cards: drag a handle, or focus it and use the arrow keys. */
export function ArrangePanel({ cards }: { cards: Arrangement }) {
  const owner = useOwner()
  const isAccount = useIsAccount()
  const { save } = useSave({ stale: [keys.views] })
  const list = useRef<HTMLUListElement>(null)
  /** The order while a card is dragged. */
  const [dragged, setDragged] = useState<{ cards: Arrangement; at: number } | null>(null)
  const shown = dragged?.cards ?? cards
  const apply = (next: Arrangement) => {
    choose(owner, writeArrangement(next))
    if (isAccount) save({ run: () => storeArrangement(next) })
  }
  const drag = ({ clientY }: PointerEvent) => {
    if (dragged === null || list.current === null) return
    const rows = Array.from(list.current.children, (row) => row.getBoundingClientRect().bottom)
    const over = rows.findIndex((bottom) => clientY < bottom)
    const to = over === -1 ? rows.length - 1 : over
    if (to !== dragged.at) setDragged({ cards: moved(shown, dragged.at, to), at: to })
  }
  const drop = () => {
    if (dragged !== null) apply(dragged.cards)
    setDragged(null)
  }
  return (
    <div className="p-1">
      <ul ref={list}>
        {shown.map(({ id, isShown }, at) => (
          <li key={id} className="flex items-center gap-1 rounded-control hover:bg-raise">
            <button
              type="button"
              aria-label={t('arrange.move', { card: t(`${id}.title`) })}
              className="cursor-grab touch-none rounded-control p-2 text-dim hover:text-text"
              onPointerDown={({ currentTarget, pointerId }) => {
                currentTarget.setPointerCapture(pointerId)
                setDragged({ cards, at })
              }}
              onPointerMove={drag}
              onPointerUp={drop}
              onPointerCancel={() => setDragged(null)}
              onKeyDown={(event) => {
                const step = steps[event.key]
                const to = at + (step ?? 0)
                if (step === undefined || to < 0 || to >= shown.length) return
                event.preventDefault()
                apply(moved(shown, at, to))
              }}
            >
              <GripVertical size={14} />
            </button>
            <label className="flex flex-1 items-center gap-2 py-2 pr-2 text-[13px]">
              <input
                type="checkbox"
                className="accent-cache"
                checked={isShown}
                onChange={() =>
                  apply(shown.map((card) => (card.id === id ? { id, isShown: !isShown } : card)))
                }
              />
              {t(`${id}.title`)}
              {extra.includes(id) && (
                <span className="ml-auto text-small text-dim">{t('arrange.wide')}</span>
              )}
            </label>
          </li>
        ))}
      </ul>
      <Button className="mt-1.5 w-full justify-center" onClick={() => apply(readArrangement(''))}>
        {t('arrange.reset')}
      </Button>
    </div>
  )
}
