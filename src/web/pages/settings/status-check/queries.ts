import { api, keys } from '../../../api/client.ts'
import { useAccountRead } from '../../../api/queries.ts'

/** The last check, the list behind it, and the resolver mode. */
export const useStatusCheck = () => useAccountRead(keys.statusCheck, api['status-check'].get)

export type State = NonNullable<ReturnType<typeof useStatusCheck>['data']>
export type Result = NonNullable<State['lastResult']>
export type Service = Result['services'][number]
export type Domain = Service['domains'][number]
