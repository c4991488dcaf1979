import { useStatus } from '../../api/queries.ts'
import { platforms, type Platform } from '../../../platforms/platforms.ts'

/** Platforms that the caller may prefill: all for account holders, granted ones for guests. */
export function usePrefillAccess(): readonly Platform[] {
  const { data } = useStatus()
  return platforms.filter((platform) => data?.[`${platform}PrefillEnabled`] === true)
}
