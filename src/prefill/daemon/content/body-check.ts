import { ContentFault, retryAfterMs } from './content-fault.ts'
import { bytesOf, type ByteRange } from './ranges.ts'
import type { ResponseHead } from './response-parser.ts'

/** What is known about a body beside its planned size. */
export interface ExpectedBody {
  /** The planned size is the least one: the manifest does not list all of the file. */
  isAtLeast?: boolean
  /** Of the whole body, in lower-case hex. */
  hash?: { algorithm: 'sha1' | 'md5'; hex: string }
}

interface WantedBody {
  range?: ByteRange | undefined
  /** Planned size; 0: unknown. Less than the range: the file may end within it. */
  bytes: number
  expected?: ExpectedBody | undefined
}

/** Server errors that a repetition does not mend: 501, 505 and 508. */
const lastingErrors: readonly number[] = [501, 505, 508]

function refuseStatus({ status, headers }: ResponseHead): never {
  const text = `the cache answered with status ${status}`
  if (status < 300) throw new ContentFault('wrong', text)
  const isPassing = status === 408 || status === 429 || status >= 500
  if (!isPassing || lastingErrors.includes(status)) {
    throw new ContentFault('lasting', text, { isForbidden: status === 403 })
  }
  const asked = retryAfterMs(headers.get('retry-after'), new Date())
  const askedPauseMs = asked ?? (status === 429 ? 0 : null)
  throw new ContentFault('failing', text, { askedPauseMs })
}

/** Bytes of a partial response; it must be the range, or its part before the end of the file. */
function partialBytes({ headers }: ResponseHead, range: ByteRange): number {
  const text = headers.get('content-range') ?? ''
  const [, first, last, total] = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15}|\*)$/.exec(text) ?? []
  const isToItsEnd = Number(last) < range.last && Number(total) === Number(last) + 1
  if (Number(first) === range.first && (Number(last) === range.last || isToItsEnd)) {
    return Number(last) - range.first + 1
  }
  const wanted = `bytes ${range.first}-${range.last}`
  throw new ContentFault('wrong', `${text || 'a part without Content-Range'} instead of ${wanted}`)
}

function sizesOf({ range, bytes, expected }: WantedBody): { least: number; most: number } {
  if (range !== undefined) {
    const most = bytesOf(range)
    return { least: Math.max(1, Math.min(bytes, most)), most }
  }
  if (bytes === 0) return { least: 1, most: Infinity }
  return { least: bytes, most: expected?.isAtLeast === true ? Infinity : bytes }
}

export type BodyCheck = ReturnType<typeof createBodyCheck>

/** Compares one response with what was planned; everything throws ContentFault. */
export function createBodyCheck(wanted: WantedBody) {
  const { range, expected } = wanted
  let { least, most } = sizesOf(wanted)
  const hash = expected?.hash
  const hasher = hash === undefined ? null : new Bun.CryptoHasher(hash.algorithm)
  let type = ''
  let received = 0

  function requireBytes(bytes: number, isAll: boolean): void {
    if (bytes <= most && (!isAll || bytes >= least)) return
    const size = most === least ? `${least}` : `${bytes < least ? 'at least ' + least : most}`
    throw new ContentFault('wrong', `${bytes} bytes${type} instead of ${size}`)
  }

  return {
    onHead(head: ResponseHead): void {
      const { status, headers } = head
      const isPart = status === 206 && range !== undefined
      if (status !== 200 && !isPart) refuseStatus(head)
      const named = headers.get('content-type')?.slice(0, 100)
      if (named !== undefined) type = ` of ${named}`
      if (isPart) {
        const bytes = partialBytes(head, range)
        requireBytes(bytes, true)
        least = most = bytes
      }
      const announced = headers.get('content-length')
      if (range !== undefined && !isPart && (range.first > 0 || Number(announced ?? 0) > most)) {
        throw new ContentFault('wrong', 'the cache ignored the requested range')
      }
      if (announced !== undefined) requireBytes(Number(announced), true)
      // Pages of errors and logins; where the size is known, it tells them.
      if (most === Infinity && named?.toLowerCase().startsWith('text/html') === true) {
        throw new ContentFault('wrong', 'a page in HTML instead of content')
      }
    },
    onBody(chunk: Buffer): void {
      received += chunk.length
      requireBytes(received, false)
      hasher?.update(chunk)
    },
    end(): void {
      requireBytes(received, true)
      if (hash === undefined || hasher?.digest('hex') === hash.hex) return
      throw new ContentFault('wrong', `another ${hash.algorithm.toUpperCase()} than expected`)
    },
  }
}
