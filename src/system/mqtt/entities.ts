import { version } from '../../core/lib/version.ts'
import type { WidgetSummary } from '../widgets/model.ts'

/** Home Assistant listens here for new devices, unless its owner has changed that. */
const discoveryPrefix = 'homeassistant'

interface Entity {
  key: keyof WidgetSummary
  name: string
  component: 'sensor' | 'binary_sensor'
  facts: Record<string, string | number>
}

const bytes = (key: Entity['key'], name: string, stateClass: string): Entity => ({
  key,
  name,
  component: 'sensor',
  facts: {
    device_class: 'data_size',
    unit_of_measurement: 'B',
    state_class: stateClass,
    suggested_unit_of_measurement: 'GB',
    suggested_display_precision: 1,
  },
})

/** Sensors of Home Assistant; names and classes as in its MQTT documentation. */
const entities: readonly Entity[] = [
  // They fall when a client is excluded, which for a `total_increasing` would be a new meter.
  bytes('totalServedBytes', 'Served', 'total'),
  bytes('totalSavedBytes', 'Bandwidth saved', 'total'),
  bytes('todaySavedBytes', 'Saved today', 'total_increasing'),
  bytes('cacheUsedBytes', 'Cache used', 'measurement'),
  bytes('cacheFreeBytes', 'Cache free', 'measurement'),
  {
    key: 'hitPercent',
    name: 'Cache hits',
    component: 'sensor',
    facts: { unit_of_measurement: '%', state_class: 'measurement' },
  },
  {
    key: 'bytesPerSecond',
    name: 'Speed',
    component: 'sensor',
    facts: {
      device_class: 'data_rate',
      unit_of_measurement: 'B/s',
      state_class: 'measurement',
      suggested_unit_of_measurement: 'MB/s',
    },
  },
  {
    key: 'activeDownloads',
    name: 'Active downloads',
    component: 'sensor',
    facts: { state_class: 'measurement' },
  },
  {
    key: 'problems',
    name: 'Problem',
    component: 'binary_sensor',
    facts: { device_class: 'problem', payload_on: 'ON', payload_off: 'OFF' },
  },
]

export interface Topics {
  prefix: string
  /** Names the installation where several share a broker. */
  installation: string
}

export const statusTopic = ({ prefix }: Topics) => `${prefix}/status`
export const stateTopic = ({ prefix }: Topics) => `${prefix}/state`

/** Topic and payload of each entity; an empty payload instead removes it. */
export function discoveryOf(topics: Topics): { topic: string; payload: string }[] {
  const device = {
    identifiers: [`larder_${topics.installation}`],
    name: 'Larder',
    manufacturer: 'Larder',
    sw_version: version,
  }
  return entities.map(({ key, name, component, facts }) => {
    const value = `value_json.${key}`
    const isProblem = component === 'binary_sensor'
    const id = `larder_${topics.installation}_${key}`
    return {
      topic: `${discoveryPrefix}/${component}/larder_${topics.installation}/${key}/config`,
      payload: JSON.stringify({
        name,
        unique_id: id,
        object_id: `larder_${key}`,
        state_topic: stateTopic(topics),
        availability_topic: statusTopic(topics),
        // What is unknown at the moment is None, which Home Assistant shows as unknown.
        value_template: isProblem
          ? `{{ 'ON' if ${value} > 0 else 'OFF' }}`
          : `{{ ${value} if ${value} is not none else None }}`,
        ...facts,
        device,
      }),
    }
  })
}
