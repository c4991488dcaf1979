import type { EpsilonFile, EpsilonPackage } from '../../../engines/epsilon-connection/library.ts'
import type { ContentObject } from '../content/download.ts'
import { FormatError } from '../content/format-error.ts'
import { bytesOf, splitRange } from '../content/ranges.ts'

/** Each request is one slice of the cache: the slices of the usual configuration are as long. */
const sliceBytes = 1024 * 1024
/** Of one game, in bytes; the largest have some hundred gigabytes. */
const gameBytesMax = 2 ** 42

/** A file to request: hosts have it under the same path. */
interface WantedFile {
  hosts: string[]
  target: string
  bytes: number
}

function wantedFile({ urls: [first, ...others], bytes }: EpsilonFile): WantedFile | null {
  if (first === undefined) return null
  const target = first.pathname + first.search
  const same = others.filter((url) => url.pathname + url.search === target)
  return { hosts: [...new Set([first, ...same].map(({ host }) => host))], target, bytes }
}

/** Files of all packages, each once, and their bytes. Throws FormatError for incomplete lists. */
export function filesOf(packages: readonly EpsilonPackage[]) {
  const files = new Map<string, WantedFile>()
  let totalBytes = 0
  for (const { files: listed, unread } of packages) {
    if (unread > 0) throw new FormatError('Xbox lists files in a form that cannot be read')
    for (const file of listed.flatMap((one) => wantedFile(one) ?? [])) {
      // Signed addresses of one file differ in their query.
      const [path = ''] = file.target.split('?')
      if (files.has(path)) continue
      files.set(path, file)
      totalBytes += file.bytes
    }
  }
  if (totalBytes > gameBytesMax) throw new FormatError('Xbox lists more than a game can have')
  return { files: [...files.values()], totalBytes }
}

/** Requests for files, one slice each; made while they are taken, because games have 100 000. */
export function* slicesOf(files: readonly WantedFile[]): Generator<ContentObject> {
  for (const { hosts, target, bytes } of files) {
    for (const range of splitRange({ first: 0, last: bytes - 1 }, sliceBytes)) {
      yield { hosts, target, range, bytes: bytesOf(range) }
    }
  }
}
