import type { Caller } from '../core/caller.ts'
import type { CalendarEvent } from '../downloads/contract.ts'
import type { PartyParts } from './parts.ts'

const pages = ['party', 'kiosk'] as const
type PartyPage = (typeof pages)[number]

const hourMs = 3_600_000
/** Links outlive the end of an event, which is often moved. */
const graceHours = 24
/** As long as a link may live. */
const hoursMax = 90 * 24

const secretOf = (page: PartyPage, eventId: number) => `party.${eventId}.${page}` as const

/**
 * The links of a party's pages. The host and the kiosk show them again and again, so their tokens are
 * kept, sealed.
 */
export function createPartyLinks({ clock, control, credentials }: PartyParts) {
  const { links } = control

  const ofParty = (eventId: number) =>
    links.list().filter(({ page, subject }) => page !== 'report' && subject === String(eventId))

  function end(eventId: number): void {
    for (const { id } of ofParty(eventId)) links.revoke(id)
    for (const page of pages) credentials.forget(secretOf(page, eventId))
  }

  return {
    /** The address of a page; null: its link has expired, or was revoked. */
    pathOf(page: PartyPage, eventId: number): string | null {
      const kept = credentials.read(secretOf(page, eventId))
      if (kept.state !== 'kept') return null
      const [id, token] = kept.secret.split(' ')
      return ofParty(eventId).some((link) => link.id === id) ? `/s#${token}` : null
    },

    /** New ones instead of those that there are. */
    make({ id: eventId, name, endTimeUtc }: CalendarEvent, actor: Caller): void {
      end(eventId)
      const left = (Date.parse(endTimeUtc) - clock.now().getTime()) / hourMs
      const hours = Math.min(hoursMax, Math.max(0, Math.ceil(left)) + graceHours)
      for (const page of pages) {
        const wanted = { page, subject: String(eventId), label: name.slice(0, 100), hours }
        const { id, token } = links.create({ ...wanted, showsNames: false }, actor.accountId)
        control.audit.note('LinkCreated', { actor })
        credentials.keep(secretOf(page, eventId), `${id} ${token}`)
      }
    },

    end,
  }
}

export type PartyLinks = ReturnType<typeof createPartyLinks>
