/*
 * The party of an event: a page for the phones of its guests, and one for the beamer. An owner
 * switches it on; nothing is kept or computed otherwise, and there is nothing to start.
 *
 * Guests have no account. A link (`access/links`) opens the page, and the address of a request is
 * the device: it sees its own downloads and has one vote per game. `board.ts` makes one answer for
 * all pages, `guestOf` leaves of it what a guest may see.
 */
import type { RouteAccess } from '../core/http/access.ts'
import type { PartyParts } from './parts.ts'
import { partyRoutes } from './routes.ts'
import { createParties } from './service.ts'

export function createPartyGroup(parts: PartyParts) {
  const parties = createParties(parts)
  return {
    routes: (access: RouteAccess) => partyRoutes({ ...parts, ...access }, parties),
  }
}

export type PartyGroup = ReturnType<typeof createPartyGroup>
