import { api, keys } from '../../../api/client.ts'
import { useAccountRead } from '../../../api/queries.ts'

/** Messages are sent without a request of the page. */
export const refreshMs = 10_000

/** Targets, rules and quiet hours; the number of waiting messages changes without a request. */
export const useNotifications = () =>
  useAccountRead(keys.notifications, api.ext.notifications.get, { refetchInterval: refreshMs })

export type Notifications = NonNullable<ReturnType<typeof useNotifications>['data']>
export type Target = Notifications['targets'][number]
export type TargetKind = Target['kind']
export type Rules = Notifications['rules']
