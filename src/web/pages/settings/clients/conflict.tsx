import type { ReactNode } from 'react'
import { Dot } from '../../../components/figures.tsx'
import { t } from '../../../locales/translate.ts'
import { changesOf, type Changes, type Draft } from './draft.ts'

interface ConflictProps {
  /** The state from which one began. */
  base: Draft
  theirs: Draft
  mine: Draft
  isBusy: boolean
  onMine: () => void
  onTheirs: () => void
  onBoth: () => void
}

function linesOf(changes: Changes): string[] {
  const { nickname, description, separateMemberRows, added, removed, isReordered } = changes
  const lines: string[] = []
  if (nickname !== null) lines.push(t('conflict.nickname', { name: nickname }))
  if (description === '') lines.push(t('conflict.noDescription'))
  else if (description !== null) lines.push(t('conflict.description', { text: description }))
  if (separateMemberRows !== null) {
    lines.push(t(separateMemberRows ? 'conflict.separate' : 'conflict.together'))
  }
  if (added.length > 0) lines.push(t('conflict.added', { ips: added.join(', ') }))
  if (removed.length > 0) lines.push(t('conflict.removed', { ips: removed.join(', ') }))
  if (isReordered) lines.push(t('conflict.reordered'))
  return lines
}

/** Somebody else saved the group meanwhile: what they did, what one did, and which of it stays. */
export function Conflict({ base, theirs, mine, isBusy, onMine, onTheirs, onBoth }: ConflictProps) {
  return (
    <section
      role="alert"
      aria-label={t('conflict.title')}
      className="rounded-control border border-fetched bg-raise p-3.5"
    >
      <p className="mb-2 flex items-center gap-2 font-medium">
        <Dot tone="attention" />
        {t('conflict.title')}
      </p>
      <Side title={t('conflict.theirs')}>{linesOf(changesOf(base, theirs))}</Side>
      <Side title={t('conflict.mine')}>{linesOf(changesOf(base, mine))}</Side>
      <div className="mt-3 flex flex-wrap gap-2">
        <button type="button" className="control" disabled={isBusy} onClick={onBoth}>
          {t('conflict.keepBoth')}
        </button>
        <button type="button" className="control" disabled={isBusy} onClick={onMine}>
          {t('conflict.keepMine')}
        </button>
        <button type="button" className="control" disabled={isBusy} onClick={onTheirs}>
          {t('conflict.takeTheirs')}
        </button>
      </div>
    </section>
  )
}

function Side({ title, children }: { title: string; children: readonly string[] }): ReactNode {
  return (
    <div className="mb-2 text-small">
      <p className="text-dim">{title}</p>
      <ul className="list-disc pl-5">
        {children.length === 0 && <li>{t('conflict.nothing')}</li>}
        {children.map((line) => (
          <li key={line} className="break-words">
            {line}
          </li>
        ))}
      </ul>
    </div>
  )
}
