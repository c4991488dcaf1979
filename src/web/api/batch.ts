import type { api } from './eden.ts'

type Answer = NonNullable<Awaited<ReturnType<typeof api.dashboard.batch.get>>['data']>

/** A failed section arrives empty; it becomes null so that empty is not mistaken for zero. */
export function readBatch(answer: Answer) {
  const failed: readonly string[] = answer.failedSections
  const unlessFailed = <T>(section: keyof Answer, value: T): T | null =>
    failed.includes(section) ? null : value
  return {
    cache: unlessFailed('cache', answer.cache),
    clients: unlessFailed('clients', answer.clients.items),
    clientsTotal: answer.clients.total,
    services: unlessFailed('services', answer.services.items),
    dashboard: unlessFailed('dashboard', answer.dashboard),
    sparklines: unlessFailed('sparklines', answer.sparklines),
    hourlyActivity: unlessFailed('hourlyActivity', answer.hourlyActivity),
    cacheSnapshot: unlessFailed('cacheSnapshot', answer.cacheSnapshot),
  }
}
