import { api } from '../../../api/eden.ts'
import { keys } from '../../../api/keys.ts'
import { useAccountRead } from '../../../api/queries.ts'

export const useBackups = () => useAccountRead(keys.backups, api.ext.backups.get)
export type Backups = NonNullable<ReturnType<typeof useBackups>['data']>
export type Snapshot = Backups['snapshots'][number]

export const useBackupSchedule = () =>
  useAccountRead(keys.schedules, api.system.schedules.get, {
    select: (schedules) => schedules.find(({ key }) => key === 'backup'),
  })
