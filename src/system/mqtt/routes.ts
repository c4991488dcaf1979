import { routesAt } from '../../core/http/access.ts'
import { ErrorBody, example } from '../../core/http/schema.ts'
import type { SystemRouteParts } from '../parts.ts'
import { MqttBody, MqttView } from './model.ts'
import type { Mqtt } from './service.ts'

export const mqttRoutes = (deps: SystemRouteParts, mqtt: Mqtt) =>
  routesAt(deps.access, 'System', '/api/ext/mqtt')
    .get('', () => mqtt.view(), {
      access: 'admin',
      response: { 200: MqttView },
      detail: { summary: 'The MQTT broker and whether figures are published; no password' },
    })
    .put('', ({ body }) => mqtt.set(body), {
      access: 'admin',
      body: example(MqttBody, {
        isEnabled: false,
        url: 'mqtt://192.168.1.5:1883',
        user: 'larder',
        prefix: 'larder',
      }),
      response: { 200: MqttView, 400: ErrorBody, 503: ErrorBody },
      detail: { summary: 'Set the MQTT broker; connects again' },
    })
