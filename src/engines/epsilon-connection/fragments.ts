import { epsilonFragment } from '../titles/epsilon/title.ts'
import type { EpsilonFile } from './library.ts'

/** A part of package URLs that identifies a title, in lower case, and the host it was named with. */
export interface Fragment {
  fragment: string
  host: string
}

/** Fragments of a package's files, each once; addresses that do not identify one title have none. */
export function fragmentsOf(files: readonly EpsilonFile[]): Fragment[] {
  const found = new Map<string, Fragment>()
  for (const { urls } of files) {
    const [url] = urls
    const fragment = url === undefined ? null : epsilonFragment(url.pathname)
    if (url !== undefined && fragment !== null)
      found.set(fragment, { fragment, host: url.hostname })
  }
  return [...found.values()]
}
