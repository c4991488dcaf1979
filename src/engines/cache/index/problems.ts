import { phraseBook, type Phrase } from '../../../core/lib/phrases.ts'

/** Why a tree cannot be looked at, or only in part; said in English, and as key and values. */
export const treeProblem = phraseBook({
  collapsed: 'Only {left} of {before} files are left; nothing was changed. Is this the right disk?',
  denied: '{path} may not be read; run with the user id of the proxy (PUID and PGID)',
  empty: '{path} is empty; is the disk mounted?',
  fileUnread: '1 file could not be read: {first}',
  filesUnread: '{count} files could not be read: {first}',
  flat: "The cache holds files without directories; only levels=2:2 of the proxy's cache can be read",
  foreign: "{path} holds no hash directories, so it is not the proxy's cache",
  layout: "The cache is laid out as {levels}; only levels=2:2 of the proxy's cache can be read",
  missing: '{path} does not exist',
  notDirectory: '{path} is not a directory',
  unreadable: '{path} could not be read ({code})',
  unresponsive: 'The file system of {path} does not answer',
  unwritten: 'The index could not be written: {reason}',
})

/** A problem that further directories have, too: with the value `more`. */
export const withMore = ({ text, key, values }: Phrase, more: number): Phrase =>
  more === 0
    ? { text, key, values }
    : { text: `${text}, and ${more} more`, key, values: { ...values, more } }

/** A problem as it is told; without a phrase where no page shows it in other languages. */
export interface Told {
  text: string
  phrase: Phrase | null
}

/** Where the phrase of a tree's problem is kept in the index, beside its text in the tree's row. */
export const problemMeta = (rootId: number): string => `problem:${rootId}`
