import type { ClientExclusionRule } from '../../api/client-queries.ts'

/** Whether statistics count a client: yes, listed only, or shown nowhere. */
export type Counting = 'counted' | ClientExclusionRule['mode']

export const countings = ['counted', 'exclude', 'hide'] as const

export const countingsOf = (rules: readonly ClientExclusionRule[]): Map<string, Counting> =>
  new Map(rules.map(({ ip, mode }) => [ip, mode]))

/** The rules with one client's counting changed. */
export function withCounting(
  rules: readonly ClientExclusionRule[],
  ip: string,
  counting: Counting,
): ClientExclusionRule[] {
  const others = rules.filter((rule) => rule.ip !== ip)
  return counting === 'counted' ? others : [...others, { ip, mode: counting }]
}

/** Reverts one change of the rules, keeping later ones. */
export function reverted(
  before: readonly ClientExclusionRule[],
  after: readonly ClientExclusionRule[],
  now: readonly ClientExclusionRule[],
): ClientExclusionRule[] {
  const modes = countingsOf(before)
  const touched = after.filter(({ ip, mode }) => modes.get(ip) !== mode)
  return touched.reduce<ClientExclusionRule[]>(
    (rules, { ip }) => withCounting(rules, ip, modes.get(ip) ?? 'counted'),
    [...now],
  )
}
