import { t } from 'elysia'
import type { Static } from '@sinclair/typebox'
import type { Caller } from '../core/caller.ts'
import { routesAt, type RouteAccess } from '../core/http/access.ts'
import { done, Empty, ErrorBody, example, Uuid } from '../core/http/schema.ts'
import type { NodeView } from './contract.ts'
import { NodeBody, NodeInvitation, NodeList, type NodeModel } from './model.ts'
import type { Invitation, NodeService } from './service.ts'

/** What administrators do with nodes, as the audit trail names it. */
export type NodeChange = 'NodeInvited' | 'NodeRevoked' | 'NodeRemoved'

export interface NodeRouteParts extends RouteAccess {
  nodes: NodeService
  note: (event: NodeChange, actor: Caller) => void
}

function modelOf({ since, tokenExpiresAt, ...view }: NodeView): Static<typeof NodeModel> {
  const tokenExpiresAtUtc = tokenExpiresAt?.toISOString() ?? null
  return { ...view, sinceUtc: since.toISOString(), tokenExpiresAtUtc }
}

const params = t.Object({ id: Uuid })
const changed = { 200: Empty, 404: ErrorBody, 503: ErrorBody }
const invitation = { 201: NodeInvitation, 404: ErrorBody, 409: ErrorBody, 503: ErrorBody }

export function nodeRoutes({ access, nodes, note }: NodeRouteParts) {
  function invited({ node, token }: Invitation, actor: Caller) {
    note('NodeInvited', actor)
    return { ...modelOf(node), token }
  }

  return routesAt(access, 'System', '/api/ext/nodes')
    .get('', () => ({ items: nodes.list().map(modelOf) }), {
      access: 'admin',
      response: { 200: NodeList },
      detail: { summary: 'Nodes: Larder on other machines, beside their caches' },
    })
    .post(
      '',
      ({ body, caller, status }) => status(201, invited(nodes.invite(body.name.trim()), caller)),
      {
        access: 'admin',
        body: example(NodeBody, { name: 'nas' }),
        response: { ...invitation, 400: ErrorBody },
        detail: { summary: 'Invite a node; its token for joining is shown once' },
      },
    )
    .post(
      '/:id/token',
      ({ params: { id }, caller, status }) => status(201, invited(nodes.inviteAgain(id), caller)),
      {
        access: 'admin',
        params,
        response: invitation,
        detail: { summary: 'Another token, for a node that lost its key or was revoked' },
      },
    )
    .patch('/:id', ({ params: { id }, body }) => done(nodes.rename(id, body.name.trim())), {
      access: 'admin',
      params,
      body: example(NodeBody, { name: 'nas' }),
      response: { ...changed, 400: ErrorBody, 409: ErrorBody },
      detail: { summary: 'Rename a node' },
    })
    .post(
      '/:id/revoke',
      ({ params: { id }, caller }) => {
        nodes.revoke(id)
        note('NodeRevoked', caller)
        return done()
      },
      {
        access: 'admin',
        params,
        response: changed,
        detail: { summary: 'Refuse the key of a node from now on, and close its connection' },
      },
    )
    .delete(
      '/:id',
      ({ params: { id }, caller }) => {
        nodes.remove(id)
        note('NodeRemoved', caller)
        return done()
      },
      {
        access: 'admin',
        params,
        response: changed,
        detail: { summary: 'Remove a node from the list, and close its connection' },
      },
    )
}
