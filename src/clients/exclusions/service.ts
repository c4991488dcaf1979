import type { StateDatabase } from '../../../db/state/open.ts'
import type { ClientsParts } from '../parts.ts'
import { AppError } from '../../core/http/errors.ts'
import { normalAddress } from '../../core/lib/address.ts'
import type { ClientExclusionRule, ExclusionsBody, ExclusionSettings } from './model.ts'
import { readExclusions, writeExclusions } from './store.ts'

/** Rules of an installation. */
export const exclusionsMax = 1000

/** Which clients reports leave out. Both lists are sorted, so that equal sets are equal texts. */
export interface LeftOut {
  /** Not to be shown anywhere. */
  readonly hidden: readonly string[]
  /** Not to be counted: the hidden ones, and those that are only listed. */
  readonly uncounted: readonly string[]
}

const nobody: LeftOut = { hidden: [], uncounted: [] }

function compute(rules: readonly ClientExclusionRule[]): LeftOut {
  if (rules.length === 0) return nobody
  const hidden = rules.filter(({ mode }) => mode === 'hide').map(({ ip }) => ip)
  return { hidden: hidden.sort(), uncounted: rules.map(({ ip }) => ip).sort() }
}

/** The clients that are left out at this moment. */
export function leftOutClients(state: Pick<StateDatabase, 'db'>): LeftOut {
  // Read every time: it costs microseconds, and whoever empties the table need not know us.
  return compute(readExclusions(state))
}

export function readSettings(state: Pick<StateDatabase, 'db'>): ExclusionSettings {
  const rules = readExclusions(state)
  return { ips: rules.filter(({ mode }) => mode === 'exclude').map(({ ip }) => ip), rules }
}

const modeOf = (text: string | null | undefined): ClientExclusionRule['mode'] =>
  text === 'exclude' ? 'exclude' : 'hide'

/** What the caller wants, before it is checked. Plain addresses leave the hidden ones hidden. */
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
    // Of two rules for one address the stricter one holds.
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

/** Replaces all rules. Reports change at once: the rules are part of the key of every answer. */
export function replaceExclusions(
  { state, hub }: Pick<ClientsParts, 'state' | 'hub'>,
  body: ExclusionsBody,
): ExclusionSettings {
  writeExclusions(state, checked(wantedRules(body, readExclusions(state))))
  hub.publish('DownloadsRefresh', { reason: 'exclusions-updated' })
  return readSettings(state)
}
