import type { TestApp } from './app.ts'

/** Everything that the hub publishes from now on. */
export function publishedBy(hub: TestApp['hub']) {
  const published: { event: string; data: unknown }[] = []
  const publish = hub.publish.bind(hub)
  hub.publish = (event, data, audience) => {
    published.push({ event, data })
    publish(event, data, audience)
  }
  return published
}
