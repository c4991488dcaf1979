import { Type } from '@sinclair/typebox'
import { t } from 'elysia'
import { routesAt } from '../../core/http/access.ts'
import { done, Empty, ErrorBody, example } from '../../core/http/schema.ts'
import type { ClientsRouteParts } from '../parts.ts'
import { ClientDevice, DeviceBody } from './model.ts'

export function deviceRoutes(deps: ClientsRouteParts) {
  const { devices } = deps
  return routesAt(deps.access, 'Clients', '/api/ext/clients')
    .get('/devices', () => devices.list(), {
      access: 'account',
      response: { 200: Type.Array(ClientDevice), 503: ErrorBody },
      detail: { summary: 'Kinds of devices, as far as they are known' },
    })
    .put('/:ip/device', ({ params, body }) => done(devices.choose(params.ip, body.kind)), {
      access: 'account',
      params: t.Object({ ip: t.String({ maxLength: 100 }) }),
      body: example(DeviceBody, { kind: 'console' }),
      response: { 200: Empty, 400: ErrorBody, 409: ErrorBody },
      detail: { summary: 'Choose what kind of device a client is, or return to the guess' },
    })
}
