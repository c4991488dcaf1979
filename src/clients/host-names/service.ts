import type { Sql } from 'postgres'
import { HistoryUnavailable } from '../../../db/history/history.ts'
import type { ClientsParts } from '../parts.ts'
import type { Caller } from '../../core/caller.ts'
import { AppError } from '../../core/http/errors.ts'
import { dnsName } from './name-rules.ts'
import { excludedClients } from '../exclusions/service.ts'
import type { Hostnames } from './model.ts'

type NamesDeps = Pick<ClientsParts, 'history' | 'logs' | 'names' | 'settings' | 'state'>

/** Clients read at once: more than are looked up, because public ones are skipped. */
const visibleMax = 2000

/** Clients with downloads, most recently active first. */
async function recentClients(sql: Sql, without: readonly string[]): Promise<string[]> {
  const rows = await sql<{ client: string }[]>`
    SELECT client FROM client_block WHERE NOT is_prefill AND client <> ALL(${[...without]}::text[])
    GROUP BY client ORDER BY max(last_at) DESC, client LIMIT ${visibleMax}`
  return rows.map(({ client }) => client)
}

/** Clients shown in lists. While the history is away: those downloading now. */
async function visibleClients({ history, logs, state }: NamesDeps): Promise<string[]> {
  const without = excludedClients(state).uncounted
  try {
    return await history.read((_db, sql) => recentClients(sql, without))
  } catch (error) {
    if (!(error instanceof HistoryUnavailable)) throw error
    const active = logs.speeds().clientSpeeds.map(({ clientIp }) => clientIp)
    return active.filter((client) => !without.includes(client))
  }
}

/** Names of the visible clients; waits a few seconds at most. */
export async function readHostnames(deps: NamesDeps, reader: Caller): Promise<Hostnames> {
  if (!deps.names.isShownTo(reader)) return { enabled: false, hostnames: {}, reason: 'none' }
  const { names, reason } = await deps.names.lookUp(await visibleClients(deps))
  return { enabled: true, hostnames: Object.fromEntries(names), reason }
}

/** Switches names on or off for everyone; drops cached names. */
export function setEnabled(
  { names, settings }: NamesDeps,
  wanted: { enabled: boolean; showToGuests?: boolean | null | undefined },
) {
  const { enabled, showToGuests } = wanted
  if (typeof showToGuests === 'boolean') {
    settings.set('clients.showsHostnamesToGuests', showToGuests)
  }
  names.switchTo({ isOn: enabled })
  return readSwitches({ names, settings })
}

export const readSwitches = ({ names, settings }: Pick<NamesDeps, 'names' | 'settings'>) => ({
  enabled: names.isOn(),
  showToGuests: settings.get('clients.showsHostnamesToGuests'),
})

/** The addresses of one name. Throws when it is no DNS name. */
export async function resolveHostname({ names }: NamesDeps, text: string) {
  const hostname = dnsName(text)
  if (hostname === null) throw new AppError('invalid', 'This is not a DNS name')
  return { hostname, ...(await names.resolve(hostname)) }
}
