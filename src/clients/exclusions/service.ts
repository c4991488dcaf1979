import type { StateDatabase } from '../../../db/state/open.ts'
import type { ClientsParts } from '../parts.ts'
import { AppError } from '../../core/http/errors.ts'
import { normalAddress } from '../../core/lib/address.ts'
import type { ClientExclusionRule, ExclusionsBody, ExclusionSettings } from './model.ts'
import { readExclusions, writeExclusions } from './store.ts'

/** Rules per installation. */
export const exclusionsMax = 1000

/**
 * Clients excluded from reports. Both lists are sorted, so that equal sets compare equal as text.
 */
export interface ExcludedClients {
  /** Not shown anywhere. */
  readonly hidden: readonly string[]
  /** Not counted: hidden clients, and those that are only listed. */
  readonly uncounted: readonly string[]
}

const nobody: ExcludedClients = { hidden: [], uncounted: [] }

function compute(rules: readonly ClientExclusionRule[]): ExcludedClients {
  if (rules.length === 0) return nobody
  const hidden = rules.filter(({ mode }) => mode === 'hide').map(({ ip }) => ip)
  return { hidden: hidden.sort(), uncounted: rules.map(({ ip }) => ip).sort() }
}

/** The currently excluded clients. */
export function excludedClients(state: Pick<StateDatabase, 'db'>): ExcludedClients {
  // Read every time: it takes microseconds, and no writer has to invalidate a cache.
  return compute(readExclusions(state))
}

export function readSettings(state: Pick<StateDatabase, 'db'>): ExclusionSettings {
  const rules = readExclusions(state)
  return { ips: rules.filter(({ mode }) => mode === 'exclude').map(({ ip }) => ip), rules }
}

const modeOf = (text: string | null | undefined): ClientExclusionRule['mode'] =>
  text?.toLowerCase() === 'exclude' ? 'exclude' : 'hide'

/** The requested rules, unchecked. Plain addresses leave hidden ones hidden. */
function wantedRules(body: ExclusionsBody, present: readonly ClientExclusionRule[]) {
  const { rules, ips } = body
  if (rules !== null && rules !== undefined) {
    return rules.map(({ ip, mode }) => ({ ip, mode: modeOf(mode) }))
  }
  if (ips === null || ips === undefined) {
    throw new AppError('invalid', 'Invalid exclusion rules', {
      extra: { message: 'Either rules or ips are required', invalidIps: [] },
    })
  }
  const hidden = present.filter(({ mode }) => mode === 'hide')
  return [...hidden, ...ips.map((ip) => ({ ip, mode: 'exclude' as const }))]
}

function checked(wanted: readonly ClientExclusionRule[]): ClientExclusionRule[] {
  const rules = new Map<string, ClientExclusionRule>()
  const invalidIps: string[] = []
  for (const { ip: text, mode } of wanted) {
    const ip = normalAddress(text)
    if (ip === null) invalidIps.push(text.slice(0, 100))
    // Of two rules for one address the stricter wins.
    else if (rules.get(ip)?.mode !== 'hide') rules.set(ip, { ip, mode })
  }
  const refuse = (message: string) =>
    new AppError('invalid', 'Invalid exclusion rules', {
      extra: { message, invalidIps: invalidIps.slice(0, 20) },
    })
  if (invalidIps.length > 0) throw refuse('Every rule needs an IPv4 or IPv6 address')
  if (rules.size > exclusionsMax) throw refuse(`There are at most ${exclusionsMax} rules`)
  return [...rules.values()]
}

/** Replaces all rules. Reports change immediately: the rules are part of every cache key. */
export function replaceExclusions(
  { state, hub }: Pick<ClientsParts, 'state' | 'hub'>,
  body: ExclusionsBody,
): ExclusionSettings {
  writeExclusions(state, checked(wantedRules(body, readExclusions(state))))
  hub.publish('DownloadsRefresh', { reason: 'exclusions-updated' })
  return readSettings(state)
}
