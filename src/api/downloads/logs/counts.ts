import { access, constants } from 'node:fs/promises'
import type { Config } from '../../../config.ts'
import type { LogEngine } from '../../../engines/logs/contract.ts'

/** Whether this process may do what `mode` says with a path. */
export const can = (path: string, mode: number): Promise<boolean> =>
  access(path, mode).then(
    () => true,
    () => false,
  )

/** Requests by service, from the counters of the log engine; no file is read for them. */
export const createCounts = ({ datasources }: Config, logs: LogEngine) => ({
  async serviceCounts() {
    const counts: Record<string, number> = {}
    for (const source of await logs.serviceCounts()) {
      for (const [service, count] of Object.entries(source.serviceCounts)) {
        counts[service] = (counts[service] ?? 0) + count
      }
    }
    return counts
  },

  async serviceCountsByDatasource() {
    const counts = await logs.serviceCounts()
    return Promise.all(
      datasources.map(async ({ name, logPath }) => ({
        datasource: name,
        logsPath: logPath,
        logsWritable: await can(logPath, constants.W_OK),
        enabled: true,
        serviceCounts: counts.find((source) => source.datasource === name)?.serviceCounts ?? {},
      })),
    )
  },
})
