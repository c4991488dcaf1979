import { clsx } from 'clsx'
import { ChevronDown, ChevronUp, GripVertical, X } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { t } from '../../../locales/translate.ts'
import { useHostOf } from './add-address.tsx'
import { moved } from '../../../app/clients/draft.ts'

interface MembersProps {
  ips: readonly string[]
  onChange: (ips: string[]) => void
}

/** The members in order: reordered by dragging, buttons or arrow keys. */
export function Members({ ips, onChange }: MembersProps) {
  const nameOf = useHostOf()
  const list = useRef<HTMLOListElement>(null)
  const [dragged, setDragged] = useState<number | null>(null)
  const [announcement, setAnnouncement] = useState('')
  const wanted = useRef<string | null>(null)
  // Moving the focused element in the document loses the focus.
  useEffect(() => {
    if (wanted.current === null) return
    list.current?.querySelector<HTMLElement>(`[data-ip="${wanted.current}"] [data-grip]`)?.focus()
    wanted.current = null
  })
  const move = (from: number, to: number) => {
    const ip = ips[from]
    if (ip === undefined || to < 0 || to >= ips.length || from === to) return
    wanted.current = ip
    setAnnouncement(t('group.movedTo', { name: nameOf(ip) ?? ip, at: to + 1, count: ips.length }))
    onChange(moved(ips, from, to))
  }
  const remove = (at: number) => onChange(ips.filter((_, index) => index !== at))
  return (
    <>
      <ol
        ref={list}
        aria-label={t('group.members')}
        className="divide-y divide-line rounded-control border border-line empty:hidden"
      >
        {ips.map((ip, index) => (
          <li
            key={ip}
            data-ip={ip}
            draggable
            onDragStart={(event) => {
              event.dataTransfer.effectAllowed = 'move'
              event.dataTransfer.setData('text/plain', ip)
              setDragged(index)
            }}
            onDragOver={(event) => {
              if (dragged !== null) event.preventDefault()
            }}
            onDragEnter={() => {
              if (dragged === null || dragged === index) return
              onChange(moved(ips, dragged, index))
              setDragged(index)
            }}
            onDrop={(event) => event.preventDefault()}
            onDragEnd={() => setDragged(null)}
            className={clsx(
              'flex items-center gap-1 py-1 pr-1.5 pl-1',
              dragged === index && 'bg-raise opacity-70',
            )}
          >
            <MemberLine
              ip={ip}
              name={nameOf(ip)}
              isFirst={index === 0}
              isLast={index === ips.length - 1}
              onMove={(by) => move(index, index + by)}
              onRemove={() => remove(index)}
            />
          </li>
        ))}
      </ol>
      <p role="status" className="sr-only">
        {announcement}
      </p>
    </>
  )
}

interface MemberLineProps {
  ip: string
  name: string | null
  isFirst: boolean
  isLast: boolean
  onMove: (by: number) => void
  onRemove: () => void
}

const small = 'rounded-control p-2 text-dim hover:bg-raise hover:text-text disabled:opacity-30'

function MemberLine({ ip, name, isFirst, isLast, onMove, onRemove }: MemberLineProps) {
  const shown = name ?? ip
  return (
    <>
      <button
        type="button"
        data-grip
        aria-label={t('group.grip', { name: shown })}
        title={t('group.gripHint')}
        className="cursor-grab rounded-control p-2 text-dim hover:text-text"
        onKeyDown={(event) => {
          const by = event.key === 'ArrowUp' ? -1 : event.key === 'ArrowDown' ? 1 : 0
          if (by === 0) return
          event.preventDefault()
          onMove(by)
        }}
      >
        <GripVertical size={15} />
      </button>
      <span className="min-w-0 flex-1 py-0.5">
        <span className="figure block truncate">{shown}</span>
        {name !== null && <span className="figure block truncate text-small text-dim">{ip}</span>}
      </span>
      <button
        type="button"
        className={small}
        aria-label={t('group.up', { name: shown })}
        disabled={isFirst}
        onClick={() => onMove(-1)}
      >
        <ChevronUp size={15} />
      </button>
      <button
        type="button"
        className={small}
        aria-label={t('group.down', { name: shown })}
        disabled={isLast}
        onClick={() => onMove(1)}
      >
        <ChevronDown size={15} />
      </button>
      <button
        type="button"
        className={small}
        aria-label={t('group.remove', { name: shown })}
        onClick={onRemove}
      >
        <X size={15} />
      </button>
    </>
  )
}
