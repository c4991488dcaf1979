import type { api } from './client.ts'

type Answer = NonNullable<Awaited<ReturnType<typeof api.dashboard.batch.get>>['data']>

/** Sections of the batch as the pages take them; null: not known. */
interface Sections {
  cache: Answer['cache'] | null
  clients: Answer['clients']['items'] | null
  services: Answer['services']['items'] | null
  dashboard: Answer['dashboard'] | null
  sparklines: Answer['sparklines'] | null
  hourlyActivity: Answer['hourlyActivity'] | null
  cacheSnapshot: Answer['cacheSnapshot'] | null
  downloads: Answer['downloads']['items'] | null
}
export type SectionName = keyof Sections

/**
 * A failed section arrives empty. In its place the last good one stays, named in `old`, or null, so
 * that empty is not mistaken for zero.
 */
export function readBatch(
  answer: Answer,
  before: Partial<Sections & { clientsTotal: number }> | undefined,
): Sections & { clientsTotal: number; old: SectionName[] } {
  const { cache, dashboard, sparklines, hourlyActivity, cacheSnapshot } = answer
  const { items: clients, total } = answer.clients
  const services = answer.services.items
  const downloads = answer.downloads.items
  const failed: readonly string[] = answer.failedSections
  const facts = { cache, dashboard, sparklines, hourlyActivity, cacheSnapshot }
  const good: Sections = { ...facts, clients, services, downloads }
  // The names are those of the line above.
  const lost = (Object.keys(good) as SectionName[]).filter((name) => failed.includes(name))
  const held = Object.fromEntries(lost.map((name) => [name, before?.[name] ?? null]))
  const isLost = lost.includes('clients')
  return {
    ...good,
    ...held,
    clientsTotal: isLost ? (before?.clientsTotal ?? total) : total,
    old: lost.filter((name) => held[name] !== null),
  }
}
