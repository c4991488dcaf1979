import { api, keys } from './client.ts'
import { useRead, useStatus } from './queries.ts'
import { known } from '../locales/translate.ts'

/** The provider whose accounts may sign in, for everybody. */
export const useOidc = () => useRead(keys.oidc, api.ext.oidc.status.get, { staleTime: 60_000 })

/** Its settings, for the owner. */
export const useOidcSettings = () => {
  const { data: status } = useStatus()
  const enabled = status?.isMainAdmin === true
  return useRead([...keys.oidc, 'settings'], api.ext.oidc.settings.get, { enabled })
}

export type OidcSettings = NonNullable<ReturnType<typeof useOidcSettings>['data']>
export type OidcProvider = NonNullable<OidcSettings['provider']>

/** Why the way through the provider came to nothing, as the service put it into the address. */
export function oidcProblem() {
  const problem = new URLSearchParams(location.search).get('problem') ?? ''
  return known(`oidc.problem.${problem}`)
}
