import type { DatasourceFacts } from './contract.ts'
import type { CacheRoot } from '../../engines/cache/contract.ts'

/**
 * A datasource's tree. With an unclear key scheme (which rules out work on single objects) keys are
 * parsed as the stock proxy's: each file names its key itself.
 */
export const rootOf = (facts: DatasourceFacts): CacheRoot => ({
  datasource: facts.name,
  path: facts.cachePath,
  scheme: facts.scheme === 'bare_metal' ? 'bare_metal' : 'monolithic',
  sliceBytes: facts.isSliced ? facts.sliceBytes : 0,
  isRemote: facts.filesystem === 'nfs' || facts.filesystem === 'cifs',
  isUnresponsive: facts.cacheProblem === 'unresponsive',
})
