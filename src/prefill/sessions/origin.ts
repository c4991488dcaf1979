import type { UserOrigin } from '../parts.ts'

/** Longer user agents are truncated before parsing. */
const userAgentCharsMax = 512

export interface OriginFacts {
  ipAddress: string | null
  operatingSystem: string | null
  browser: string | null
}

export const noOrigin: OriginFacts = { ipAddress: null, operatingSystem: null, browser: null }

const nameOf = ({ name, version }: { name?: string; version?: string }): string | null =>
  name === undefined || name === '' ? null : `${name} ${version?.split('.')[0] ?? ''}`.trim()

/** Address, system and browser of the session that creates a prefill session. */
export async function originFacts(origin: UserOrigin | null): Promise<OriginFacts> {
  const userAgent = origin?.userAgent.trim() ?? ''
  const ipAddress = origin?.ipAddress ?? null
  if (userAgent === '') return { ...noOrigin, ipAddress }
  const { parse } = await import('bowser')
  const { browser, os } = parse(userAgent.slice(0, userAgentCharsMax))
  return { ipAddress, operatingSystem: os.name ?? null, browser: nameOf(browser) }
}
