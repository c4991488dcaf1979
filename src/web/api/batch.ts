import type { api } from './eden.ts'
import type { Batch } from './wire.ts'

type Answer = NonNullable<Awaited<ReturnType<typeof api.dashboard.batch.get>>['data']>

/** A failed section comes empty; here it becomes null, so that nobody takes empty for zero. */
export function readBatch(answer: Answer): Batch {
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
