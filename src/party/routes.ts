import { Elysia, t } from 'elysia'
import { Type } from '@sinclair/typebox'
import { routesAt } from '../core/http/access.ts'
import { done, Empty, ErrorBody, example, named, RowId } from '../core/http/schema.ts'
import {
  DeviceNameBody,
  GuestView,
  HostParty,
  KioskView,
  KnownGame,
  PartySettings,
  WishBody,
} from './model.ts'
import type { PartyRouteParts } from './parts.ts'
import type { Parties } from './service.ts'

const prefix = '/api/ext/party'
const params = t.Object({ id: named({ ...RowId, description: 'Id of an event' }, 'eventId') })
const wishParams = t.Object({
  ...params.properties,
  wish: { ...RowId, description: 'Id of a wish' },
})
const away = { 404: ErrorBody, 503: ErrorBody }

/** The host's side: switch, texts, wishes. */
const hostRoutes = (deps: PartyRouteParts, parties: Parties) =>
  routesAt(deps.access, 'Downloads and Reporting', prefix)
    .get('/:id', ({ params: { id } }) => parties.host(id), {
      access: 'owner',
      params,
      response: { 200: HostParty, ...away },
      detail: { summary: 'The party of an event: what is written for guests, wishes, links' },
    })
    .put('/:id', ({ params: { id }, body, caller }) => parties.put(id, body, caller), {
      access: 'owner',
      params,
      body: example(PartySettings, {
        rules: 'Be nice',
        wifi: 'lan-party / hunter2',
        timetable: [{ atUtc: '2026-11-27T18:00:00Z', text: 'Pizza' }],
        showsNames: false,
      }),
      response: { 200: HostParty, 400: ErrorBody, 409: ErrorBody, ...away },
      detail: { summary: 'Switch the party of an event on, or change what guests read' },
    })
    .delete('/:id', ({ params: { id } }) => done(parties.end(id)), {
      access: 'owner',
      params,
      response: { 200: Empty, 503: ErrorBody },
      detail: { summary: 'Switch the party of an event off; its wishes and links are deleted' },
    })
    .post('/:id/links', ({ params: { id }, caller }) => parties.renewLinks(id, caller), {
      access: 'owner',
      params,
      response: { 200: HostParty, 409: ErrorBody, ...away },
      detail: { summary: "New links to the party's pages; the previous ones end" },
    })
    .delete('/:id/wishes/:wish', ({ params: { id, wish } }) => done(parties.removeWish(id, wish)), {
      access: 'owner',
      params: wishParams,
      response: { 200: Empty, ...away },
      detail: { summary: 'Remove a wish' },
    })

/** The pages that links open. */
function sharedRoutes(deps: PartyRouteParts, parties: Parties) {
  const deviceOf = (request: Request) => deps.control.address.of(request)
  return routesAt(deps.access, 'Downloads and Reporting', prefix)
    .get('/:id/kiosk', ({ params: { id } }) => parties.kiosk(id), {
      access: 'owner',
      shared: ['kiosk'],
      params,
      response: { 200: KioskView, ...away },
      detail: { summary: 'What the beamer of a party shows' },
    })
    .get('/:id/guest', ({ params: { id }, request }) => parties.guest(id, deviceOf(request)), {
      access: 'owner',
      shared: ['party'],
      params,
      response: { 200: GuestView, ...away },
      detail: { summary: 'What a guest of a party sees: sums, and the own device by its address' },
    })
    .get('/:id/games', ({ params: { id }, query }) => parties.search(id, query.q), {
      access: 'owner',
      shared: ['party'],
      params,
      query: t.Object({ q: t.String({ maxLength: 80, description: 'A part of the name' }) }),
      response: { 200: Type.Array(KnownGame), 400: ErrorBody, ...away },
      detail: { summary: 'Known games by name, to wish for' },
    })
    .post(
      '/:id/wishes',
      ({ params: { id }, request, body }) => parties.wish(id, deviceOf(request), body),
      {
        access: 'owner',
        shared: ['party'],
        limit: 'party',
        params,
        body: example(WishBody, { name: 'Counter-Strike 2', platform: 'alpha', appId: '730' }),
        response: { 200: GuestView, 400: ErrorBody, 409: ErrorBody, ...away },
        detail: { summary: 'Wish for a game; a vote, if somebody wished for it already' },
      },
    )
    .put(
      '/:id/name',
      ({ params: { id }, request, body }) => parties.name(id, deviceOf(request), body),
      {
        access: 'owner',
        shared: ['party'],
        limit: 'party',
        params,
        body: example(DeviceNameBody, { name: 'Ada' }),
        response: { 200: GuestView, 400: ErrorBody, 409: ErrorBody, ...away },
        detail: { summary: "The own device's name on the beamer" },
      },
    )
}

/** Votes of guests. */
function voteRoutes(deps: PartyRouteParts, parties: Parties) {
  const deviceOf = (request: Request) => deps.control.address.of(request)
  return routesAt(deps.access, 'Downloads and Reporting', prefix)
    .put(
      '/:id/wishes/:wish/vote',
      ({ params: { id, wish }, request }) => parties.vote(id, deviceOf(request), wish),
      {
        access: 'owner',
        shared: ['party'],
        limit: 'party',
        params: wishParams,
        response: { 200: GuestView, 400: ErrorBody, 409: ErrorBody, ...away },
        detail: { summary: 'Vote for a wish, once per device' },
      },
    )
    .delete(
      '/:id/wishes/:wish/vote',
      ({ params: { id, wish }, request }) => parties.unvote(id, deviceOf(request), wish),
      {
        access: 'owner',
        shared: ['party'],
        limit: 'party',
        params: wishParams,
        response: { 200: GuestView, 400: ErrorBody, 409: ErrorBody, ...away },
        detail: { summary: "Take a device's vote back; a wish without votes is removed" },
      },
    )
}

export const partyRoutes = (deps: PartyRouteParts, parties: Parties) =>
  new Elysia({ name: 'party' })
    .use(hostRoutes(deps, parties))
    .use(sharedRoutes(deps, parties))
    .use(voteRoutes(deps, parties))
