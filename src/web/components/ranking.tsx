import { Link, type LinkProps } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { byteAmount, percentText, share } from '../format/numbers.ts'
import { Card } from './card.tsx'
import { Composition, Figure } from './figures.tsx'
import { Mark } from './mark.tsx'
import { Notice, Waiting } from './notice.tsx'

export interface RankedRow {
  key: string
  name: string
  note: string
  /** Its platform colours the mark; without one there is no mark. */
  service?: string
  cached: number
  fetched: number
  /** Its own page. */
  link?: LinkProps
}

interface RankingProps {
  title: string
  note?: string
  action?: ReactNode
  /** Undefined while they are read. */
  rows: readonly RankedRow[] | undefined
  /** What to say when there are none. */
  empty: string
  className?: string
}

const plain =
  'grid grid-cols-[minmax(0,1.4fr)_84px] items-center gap-3 py-2.5 sm:grid-cols-[minmax(0,1.4fr)_minmax(40px,1fr)_84px_52px]'
const marked =
  'grid grid-cols-[34px_minmax(0,1.4fr)_84px] items-center gap-3 py-2.5 sm:grid-cols-[34px_minmax(0,1.4fr)_minmax(40px,1fr)_84px_52px]'

/** Who has most of the bytes: amount and composition in one bar, each row a link. */
export function Ranking({ title, note, action, rows, empty, className }: RankingProps) {
  const most = Math.max(0, ...(rows ?? []).map(({ cached, fetched }) => cached + fetched))
  return (
    <Card
      title={title}
      {...(note === undefined ? {} : { note })}
      {...(className === undefined ? {} : { className })}
      action={action}
    >
      {rows === undefined && <Waiting rows={3} />}
      {rows?.length === 0 && <Notice title={empty} />}
      <ul>
        {rows?.map((row) => {
          const line = <Line row={row} most={most} />
          const grid = row.service === undefined ? plain : marked
          return (
            <li key={row.key} className="border-line not-last:border-b">
              {row.link === undefined ? (
                <div className={grid}>{line}</div>
              ) : (
                <Link {...row.link} className={grid}>
                  {line}
                </Link>
              )}
            </li>
          )
        })}
      </ul>
    </Card>
  )
}

function Line({ row, most }: { row: RankedRow; most: number }) {
  const { name, note, service, cached, fetched } = row
  return (
    <>
      {service !== undefined && <Mark name={name} service={service} />}
      <span className="min-w-0">
        <span className="block truncate font-medium">{name}</span>
        <span className="figure block truncate text-small text-dim">{note}</span>
      </span>
      <Composition cached={cached} fetched={fetched} whole={most} className="max-sm:hidden" />
      <Figure amount={byteAmount(cached + fetched)} className="text-right" />
      <span className="figure text-right text-dim max-sm:hidden">
        {percentText(share(cached, cached + fetched))}
      </span>
    </>
  )
}
