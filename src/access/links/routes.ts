import { t } from 'elysia'
import type { Static } from '@sinclair/typebox'
import { routesAt } from '../../core/http/access.ts'
import type { Caller } from '../../core/caller.ts'
import { AppError } from '../../core/http/errors.ts'
import { done, Empty, ErrorBody, example, Uuid } from '../../core/http/schema.ts'
import { sharePageNames } from '../../core/lib/share-pages.ts'
import type { AccessRouteParts } from '../parts.ts'
import { CreatedShareLink, OwnShareLink, ShareLinkBody, ShareLinkList } from './model.ts'

async function create(
  { control, hasEvent }: AccessRouteParts,
  { page, subject, label = '', hours, showsNames = false }: Static<typeof ShareLinkBody>,
  actor: Caller,
) {
  if (!(await hasEvent(subject))) throw new AppError('notFound', 'There is no such event')
  const wanted = { page, subject, label: label.trim(), hours, showsNames }
  const link = control.links.create(wanted, actor.accountId)
  control.audit.note('LinkCreated', { actor })
  return link
}

function revoke({ control }: AccessRouteParts, id: string, actor: Caller): void {
  control.links.revoke(id)
  control.audit.note('LinkRevoked', { actor })
}

function own({ link }: Caller): OwnShareLink {
  // The policy admits links alone.
  if (link === undefined) throw new AppError('forbidden')
  const { page, subject, label, showsNames, expiresAt } = link
  return { page, subject, label, showsNames, expiresAtUtc: expiresAt.toISOString() }
}

/** Links that open one page without an account. */
export const linkRoutes = (deps: AccessRouteParts) =>
  routesAt(deps.access, 'Access', '/api/ext/links')
    .get('', () => ({ items: deps.control.links.list() }), {
      access: 'owner',
      response: { 200: ShareLinkList },
      detail: { summary: 'Share links that still work, without their tokens' },
    })
    .post('', async ({ body, caller, status }) => status(201, await create(deps, body, caller)), {
      access: 'owner',
      body: example(ShareLinkBody, { page: 'report', subject: '1', label: 'Our chat', hours: 720 }),
      response: {
        201: CreatedShareLink,
        400: ErrorBody,
        404: ErrorBody,
        409: ErrorBody,
        503: ErrorBody,
      },
      detail: { summary: 'Create a link to a page about an event; its token is shown once' },
    })
    .delete('/:id', ({ params: { id }, caller }) => done(revoke(deps, id, caller)), {
      access: 'owner',
      params: t.Object({ id: Uuid }),
      response: { 200: Empty, 404: ErrorBody },
      detail: { summary: 'Revoke a share link' },
    })
    .get(
      '/own',
      ({ caller, set }) => {
        // A revoked link is noticed by the next call.
        set.headers['cache-control'] = 'no-store, private'
        return own(caller)
      },
      {
        access: 'link',
        shared: sharePageNames,
        response: { 200: OwnShareLink },
        detail: { summary: 'The page that the link in `X-Share-Link` opens' },
      },
    )
