import type { ClientExclusionRule } from '../../api/client-queries.ts'
import type { Key } from '../../locales/translate.ts'

/** Whether statistics count a client: yes, listed only, or shown nowhere. */
export type Standing = 'counted' | ClientExclusionRule['mode']

export const standings = ['counted', 'exclude', 'hide'] as const

export const standingLabels: Record<Standing, Key> = {
  counted: 'standing.counted',
  exclude: 'standing.exclude',
  hide: 'standing.hide',
}

export const standingsOf = (rules: readonly ClientExclusionRule[]): Map<string, Standing> =>
  new Map(rules.map(({ ip, mode }) => [ip, mode]))

/** The rules with one client's standing changed. */
export function withStanding(
  rules: readonly ClientExclusionRule[],
  ip: string,
  standing: Standing,
): ClientExclusionRule[] {
  const others = rules.filter((rule) => rule.ip !== ip)
  return standing === 'counted' ? others : [...others, { ip, mode: standing }]
}

/** Reverts one change of the rules, keeping later ones. */
export function reverted(
  before: readonly ClientExclusionRule[],
  after: readonly ClientExclusionRule[],
  now: readonly ClientExclusionRule[],
): ClientExclusionRule[] {
  const modes = standingsOf(before)
  const touched = after.filter(({ ip, mode }) => modes.get(ip) !== mode)
  return touched.reduce<ClientExclusionRule[]>(
    (rules, { ip }) => withStanding(rules, ip, modes.get(ip) ?? 'counted'),
    [...now],
  )
}
