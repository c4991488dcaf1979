import type { JobContext } from '../../engine.ts'
import { clearTree } from './clear.ts'
import type {
  ClearOptions,
  ClearProgress,
  RemovalOptions,
  RemovalProgress,
  RemovalSelection,
} from '../contract.ts'
import { removeFiles } from './removal.ts'
import { cacheSession } from '../index/session.ts'

/** Jobs that remove files from the cache. */
export const removalJobs = {
  remove: (
    input: { selection: RemovalSelection } & RemovalOptions,
    context: JobContext<RemovalProgress>,
  ) => removeFiles(cacheSession(), input, context),

  clear: (options: ClearOptions, context: JobContext<ClearProgress>) =>
    clearTree(cacheSession(), options, context),
}
