import { Link, type LinkProps } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { GameRef } from '../format/image-address.ts'
import { byteAmount, percentText, share } from '../format/numbers.ts'
import { Card, Nothing, Waiting } from './card.tsx'
import { Composition, Figure, Named } from './figures.tsx'
import { Mark } from './artwork.tsx'

export interface RankedRow {
  key: string
  name: string
  note: string
  /** Its platform's colour for the mark; no mark without one. */
  service?: string
  /** Its image replaces the mark. */
  game?: GameRef
  cached: number
  fetched: number
  /** Replaces the cached share. */
  last?: ReactNode
  /** Before the name. */
  icon?: ReactNode
  /** Beside the name; for rows without a page. */
  tool?: ReactNode
  /** Its own page. */
  link?: LinkProps
}

const plain =
  '-mx-2 grid grid-cols-[minmax(0,1fr)_80px_52px] items-center gap-3 rounded-control px-2 py-[7px] @sm:grid-cols-[minmax(0,1.3fr)_minmax(0,1fr)_84px_56px]'
const marked =
  '-mx-2 grid grid-cols-[34px_minmax(0,1fr)_84px_52px] items-center gap-3 rounded-control px-2 py-[7px] @sm:grid-cols-[34px_minmax(0,1.2fr)_minmax(0,1fr)_84px_52px]'

/** Ranking by bytes: amount and composition in one bar, where there is room; each row a link. */
export function RankedList({ rows }: { rows: readonly RankedRow[] }) {
  const most = Math.max(0, ...rows.map(({ cached, fetched }) => cached + fetched))
  return (
    <ul className="@container divide-y divide-line">
      {rows.map((row) => {
        const line = <Line row={row} most={most} />
        const grid = row.service === undefined ? plain : marked
        return (
          <li key={row.key}>
            {row.link === undefined ? (
              <div className={grid}>{line}</div>
            ) : (
              <Link {...row.link} className={`${grid} hover:bg-raise`}>
                {line}
              </Link>
            )}
          </li>
        )
      })}
    </ul>
  )
}

function Line({ row, most }: { row: RankedRow; most: number }) {
  const { name, note, service, game, cached, fetched, last, icon, tool } = row
  return (
    <>
      {service !== undefined && <Mark name={name} service={service} game={game} />}
      <span className="flex min-w-0 items-center gap-1.5">
        {icon}
        <span className="min-w-0">
          <Named name={name} note={note} />
        </span>
        {tool}
      </span>
      <Composition cached={cached} fetched={fetched} whole={most} className="@max-sm:hidden" />
      <Figure amount={byteAmount(cached + fetched)} className="text-right" />
      <span className="figure text-right whitespace-nowrap text-dim">
        {last ?? percentText(share(cached, cached + fetched))}
      </span>
    </>
  )
}

interface RankingProps {
  title: string
  note?: string
  /** Undefined while loading. */
  rows: readonly RankedRow[] | undefined
  /** Shown when there are none. */
  empty: string
  /** Number of rows for which space is kept while loading. */
  expected?: number
  className?: string
}

export const Ranking = ({ rows, empty, expected = 3, ...card }: RankingProps) => (
  <Card {...card}>
    {rows === undefined && <Waiting rows={expected} />}
    {rows?.length === 0 && <Nothing title={empty} />}
    <RankedList rows={rows ?? []} />
  </Card>
)
