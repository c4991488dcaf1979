import type { DatasourceFacts } from './contract.ts'
import type { CacheRoot } from '../../engines/cache/contract.ts'

/**
 * The tree of a datasource. Where the key scheme is not clear (work on single objects is refused
 * there) keys are read as those of the usual proxy: each file names its key itself.
 */
export const rootOf = (facts: DatasourceFacts): CacheRoot => ({
  datasource: facts.name,
  path: facts.cachePath,
  scheme: facts.scheme === 'bare_metal' ? 'bare_metal' : 'monolithic',
  sliceBytes: facts.isSliced ? facts.sliceBytes : 0,
  isRemote: facts.filesystem === 'nfs' || facts.filesystem === 'cifs',
  isUnresponsive: facts.cacheProblem === 'unresponsive',
})
