/*
 * A node that is away. Figures that add up caches leave out those of the node; each such answer
 * names it in `away`, which is absent while every node is connected. A removal over several caches
 * names what is to happen with the part of the node: see `WhenAway`. A choice that a caller leaves
 * out is `refuse`, because a removal that is said to be done has to be done everywhere; clearing
 * all caches has always skipped those that cannot be written to, and still does.
 */
import { Type } from '@sinclair/typebox'
import type { Within } from '../../../db/state/schema/removals.ts'
import { unavailable } from '../../core/http/errors.ts'
import { stringUnion } from '../../core/http/string-union.ts'
import { awayNodes, type AwayNode, type NodeHosts } from '../../engines/remote/hosts.ts'
import type { Away } from '../../engines/remote/wire.ts'

/**
 * `refuse`: nothing is removed anywhere. `skip`: the other caches are done. `later`: so is the node's
 * part as soon as it is back.
 */
export const whenAwayChoices = ['refuse', 'skip', 'later'] as const
export type WhenAway = (typeof whenAwayChoices)[number]
/** Member of the query of a removal. */
export const WhenAway = Type.Optional(stringUnion(whenAwayChoices))

const viewOf = ({ node, datasources, since }: AwayNode): Away => ({
  node,
  datasources: [...datasources],
  sinceUtc: since.toISOString(),
})

/** Added to an answer; nothing while every node is connected. */
export function awayFacts({ nodeHosts }: { nodeHosts: NodeHosts }): { away?: Away[] } {
  const away = awayNodes(nodeHosts).map(viewOf)
  return away.length === 0 ? {} : { away }
}

/** The caches that a job acts upon. */
export interface Reach {
  has: (datasource: string) => boolean
  /** Nodes whose part is left. */
  left: AwayNode[]
  /** Undefined: the rows of all. */
  within: Within | undefined
}

const lower = (names: readonly string[]): string[] => names.map((name) => name.toLowerCase())

export const only = (datasources: readonly string[]): Reach => ({
  has: (datasource) => datasources.includes(datasource),
  left: [],
  within: { only: lower(datasources) },
})

export function allBut(left: AwayNode[]): Reach {
  const names = left.flatMap(({ datasources }) => datasources)
  const within = names.length === 0 ? undefined : { except: lower(names) }
  return { has: (datasource) => !names.includes(datasource), left, within }
}

/**
 * As the nodes are now. Throws `unavailable` when one is away and its part may not be left. `needed`:
 * datasources that the job is about, where that is known.
 */
export function reachOf(
  nodeHosts: NodeHosts,
  whenAway: WhenAway,
  needed: (datasource: string) => boolean = () => true,
): Reach {
  const left = awayNodes(nodeHosts).filter(({ datasources }) => datasources.some(needed))
  const [first] = left
  if (whenAway === 'refuse' && first !== undefined) throw unavailable(first.text)
  return allBut(left)
}

/** Facts about the part that is left, for the result of a job and its text. */
export const leftFacts = ({ left }: Reach, whenAway: WhenAway) =>
  left.length === 0
    ? {}
    : {
        away: left.map(viewOf),
        awayNodes: left.map(({ node }) => node).join(', '),
        isAwayLater: whenAway === 'later',
      }
