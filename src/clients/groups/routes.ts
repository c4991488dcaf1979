import { Type } from '@sinclair/typebox'
import { Elysia, t } from 'elysia'
import { routesAt } from '../../core/http/access.ts'
import type { ClientsRouteParts } from '../parts.ts'
import { done, Empty, ErrorBody, example, RowId } from '../../core/http/schema.ts'
import * as model from './model.ts'
import { Groups } from './service.ts'

const params = t.Object({ id: RowId })
const refusals = { 400: ErrorBody, 404: ErrorBody }

const readRoutes = (deps: ClientsRouteParts, groups: Groups) =>
  routesAt(deps.access, 'Clients', '/api/client-groups')
    .get('', () => groups.list(), {
      access: 'account',
      response: { 200: Type.Array(model.ClientGroup) },
      detail: { summary: 'List all client groups' },
    })
    .get('/mapping', () => groups.mapping(), {
      access: 'account',
      response: { 200: model.GroupMapping },
      detail: { summary: 'Map of every grouped IP address to its group' },
    })
    .get('/:id', ({ params: { id } }) => groups.read(id), {
      access: 'account',
      params,
      response: { 200: model.ClientGroup, 404: ErrorBody },
      detail: { summary: 'Read one client group' },
    })

const writeRoutes = (deps: ClientsRouteParts, groups: Groups) =>
  routesAt(deps.access, 'Clients', '/api/client-groups')
    .post(
      '',
      ({ body, set }) => {
        const group = groups.create(body)
        set.headers.location = `/api/client-groups/${group.id}`
        return group
      },
      {
        access: 'account',
        body: example(model.NewGroup, {
          nickname: 'Desk',
          description: 'By the window',
          initialIps: ['192.168.1.20'],
        }),
        response: { 200: model.CreatedGroup, 400: ErrorBody, 409: model.GroupChanged },
        detail: { summary: 'Create a client group, optionally with its first addresses' },
      },
    )
    .put('/:id', ({ params: { id }, body }) => groups.update(id, body), {
      access: 'account',
      params,
      body: example(model.GroupChange, {
        nickname: 'Desk',
        description: 'By the door',
        separateMemberRows: false,
      }),
      response: { 200: model.ClientGroup, ...refusals, 409: model.GroupChanged },
      detail: { summary: 'Change a client group' },
    })
    .put('/:id/members', ({ params: { id }, body }) => groups.replaceMembers(id, body), {
      access: 'account',
      params,
      body: example(model.MembersChange, { clientIps: ['192.168.1.20', '192.168.1.21'] }),
      response: { 200: model.MembersAnswer, ...refusals, 409: model.GroupChanged },
      detail: { summary: 'Replace the members of a client group' },
    })
    .delete('/:id', ({ params: { id } }) => done(groups.delete(id)), {
      access: 'account',
      params,
      response: { 200: Empty, 404: ErrorBody },
      detail: { summary: 'Delete a client group' },
    })

export function groupRoutes(deps: ClientsRouteParts) {
  const groups = new Groups(deps)
  return new Elysia({ name: 'clients/groups' })
    .use(readRoutes(deps, groups))
    .use(writeRoutes(deps, groups))
}
