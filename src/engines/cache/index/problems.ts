import { phraseBook, type Phrase } from '../../../core/lib/phrases.ts'

/** Why a tree cannot be read, or only in part; in English, and as a key with values. */
export const treeProblems = {
  collapsed:
    'Only {left} of {before} files are left; the index was not changed. Is the correct disk mounted?',
  denied: "No permission to read {path}; set PUID and PGID to the proxy's user",
  empty: '{path} is empty; is the disk mounted?',
  fileUnread: '1 file could not be read: {first}',
  filesUnread: '{count} files could not be read: {first}',
  flat: 'The cache has no subdirectories; only caches with levels=2:2 are supported',
  foreign: '{path} contains no hash directories and is not a proxy cache',
  layout: 'The cache uses {levels}; only levels=2:2 is supported',
  missing: '{path} does not exist',
  notDirectory: '{path} is not a directory',
  unreadable: '{path} could not be read ({code})',
  unresponsive: 'The file system of {path} does not respond',
  unwritten: 'The index could not be written: {reason}',
} as const
export const treeProblem = phraseBook(treeProblems)

/** A problem that further directories share: with their number as the value `more`. */
export const withMore = ({ text, key, values }: Phrase, more: number): Phrase =>
  more === 0
    ? { text, key, values }
    : { text: `${text}, and ${more} more`, key, values: { ...values, more } }

/** A problem as reported; without a phrase where no page translates it. */
export interface ReportedProblem {
  text: string
  phrase: Phrase | null
}

/** Where the index keeps the phrase of a tree's problem; its text is in the tree's row. */
export const problemMeta = (rootId: number): string => `problem:${rootId}`
