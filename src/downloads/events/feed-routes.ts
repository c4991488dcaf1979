import { t } from 'elysia'
import { routesAt } from '../../core/http/access.ts'
import type { DownloadsRouteParts } from '../parts.ts'
import { AppError } from '../../core/http/errors.ts'
import { createRateLimit, wrongSecrets } from '../../core/http/rate-limit.ts'
import { Empty, ErrorBody, FileOf } from '../../core/http/schema.ts'
import { CalendarFeed, closeFeed, isFeedToken, readFeed, rotateFeed } from './feed.ts'
import type { Events } from './service.ts'

const FeedToken = t.String({
  maxLength: 200,
  description: 'Token of the calendar feed, for programs that cannot sign in',
})

const refused = { 400: ErrorBody, 429: ErrorBody, 503: ErrorBody }

/** The calendar feed of events. */
export function feedRoutes(deps: DownloadsRouteParts, events: Events) {
  const wrong = createRateLimit(wrongSecrets, deps.clock)
  return routesAt(deps.access, 'Downloads and Reporting', '/api/ext/events')
    .get(
      '/calendar.ics',
      async ({ caller, query, address }) => {
        // Calendar programs cannot sign in: they send the token, all others have a session.
        if (caller.kind === 'anonymous' && !isFeedToken(deps, query.token)) {
          if (query.token !== undefined) wrong.take(address)
          throw new AppError('unauthenticated')
        }
        const { calendarOf } = await import('./calendar.ts')
        return new Response(calendarOf(await events.list()), {
          headers: {
            'Content-Type': 'text/calendar; charset=utf-8',
            'Content-Disposition': 'inline; filename="events.ics"',
            'Cache-Control': 'no-store, private',
          },
        })
      },
      {
        access: 'public',
        withAddress: true,
        query: t.Object({ token: t.Optional(FeedToken) }),
        response: { 200: FileOf('text/calendar'), 401: Empty, ...refused },
        detail: { summary: 'All events as iCalendar, for a session or the token of the feed' },
      },
    )
    .get('/feed', () => readFeed(deps), {
      access: 'account',
      response: { 200: CalendarFeed },
      detail: { summary: "The calendar feed's token" },
    })
    .post('/feed', () => rotateFeed(deps), {
      access: 'account',
      response: { 200: CalendarFeed, 503: ErrorBody },
      detail: { summary: 'Create a new calendar feed token, which replaces the previous one' },
    })
    .delete('/feed', () => closeFeed(deps), {
      access: 'account',
      response: { 200: CalendarFeed },
      detail: { summary: 'Close the calendar feed' },
    })
}
