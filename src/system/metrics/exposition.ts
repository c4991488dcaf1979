import { families, type Reading } from './families.ts'

/** Content type of the text format. */
export const expositionType = 'text/plain; version=0.0.4; charset=utf-8'

/** Longest value of a label; names of games come from outside. */
const labelCharsMax = 200

const cut = (labels: Reading['labels'] = {}) =>
  Object.fromEntries(
    Object.entries(labels).map(([name, value]) => [name, value.slice(0, labelCharsMax)]),
  )

/**
 * The readings in the text format of Prometheus. Each call starts with an empty registry, so that
 * a game or client that is no longer among the first is no longer listed.
 */
export async function expositionOf(readings: readonly Reading[]): Promise<string> {
  const { Counter, Gauge, Registry } = await import('prom-client')
  const registry = new Registry()
  const byName = Map.groupBy(readings, ({ name }) => name)
  for (const [name, own] of byName) {
    const { type, help, labels } = families[name]
    const settings = { name, help, labelNames: labels ?? [], registers: [registry] }
    const metric = type === 'counter' ? new Counter(settings) : new Gauge(settings)
    for (const reading of own) metric.inc(cut(reading.labels), reading.value)
  }
  return registry.metrics()
}
