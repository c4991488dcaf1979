import type { AccessParts } from '../parts.ts'
import type { Caller } from '../../core/caller.ts'
import { parseAddress } from '../../core/http/remote-address.ts'
import { nowhere } from '../geo/lookup.ts'
import type { ClientFacts, ClientInfo } from './model.ts'

/** Longer browser reports are truncated. */
const timezoneCharsMax = 64
const resolutionCharsMax = 32
const languageCharsMax = 16

function cut(text: string | null | undefined, charsMax: number): string | null {
  const trimmed = text?.trim() ?? ''
  return trimmed === '' ? null : trimmed.slice(0, charsMax)
}

const publicAddress = (address: string | null): string | null => {
  const parsed = address === null ? null : parseAddress(address)
  return parsed?.range() === 'unicast' ? parsed.toString() : null
}

/**
 * Stores what a browser reports about itself. The location is looked up only when enabled, because
 * that sends an address to an external service. On a LAN it is this machine's location.
 */
export async function noteClient(
  { control }: AccessParts,
  caller: Caller,
  { request, facts }: { request: Request; facts: ClientFacts },
): Promise<ClientInfo> {
  const address = publicAddress(control.address.of(request))
  const place = (await control.geo?.find(address)) ?? nowhere
  const publicIp = address ?? place.publicIp
  const timezone = cut(facts.timezone, timezoneCharsMax) ?? place.timezone
  if (caller.sessionId !== null) {
    control.sessions.store.update(caller.sessionId, {
      publicIpAddress: publicIp,
      countryCode: place.countryCode,
      countryName: place.country,
      regionName: place.region,
      city: place.city,
      ispName: place.isp,
      timezone,
      screenResolution: cut(facts.screenResolution, resolutionCharsMax),
      browserLanguage: cut(facts.language, languageCharsMax),
    })
  }
  return { success: true, ...place, publicIp, timezone }
}
