import { ContentFault } from './content-fault.ts'
import { requestObject, type ContentObject, type RequestOptions } from './request-object.ts'

interface FileOptions extends RequestOptions {
  /** Larger files are refused. */
  bytesMax: number
}

/** Requests a file through the cache and keeps it, for engines that read some of the content. */
export async function fetchFile(
  wanted: Pick<ContentObject, 'hosts' | 'target' | 'range' | 'expected'>,
  { bytesMax, ...options }: FileOptions,
): Promise<Buffer> {
  const requireSpace = (bytes: number) => {
    if (bytes <= bytesMax) return
    throw new ContentFault('lasting', `${wanted.target} is larger than ${bytesMax} bytes`)
  }
  let file = Buffer.alloc(0)
  let bytes = 0
  await requestObject({ bytes: 0, ...wanted }, options, {
    start(announced) {
      requireSpace(announced)
      // Of the announced size, so that the largest manifests are not in memory twice.
      file = Buffer.allocUnsafe(announced)
      bytes = 0
    },
    add(chunk) {
      const end = bytes + chunk.length
      requireSpace(end)
      if (end > file.length) file = Buffer.concat([file], Math.max(end, 2 * file.length))
      chunk.copy(file, bytes)
      bytes = end
    },
  })
  return file.subarray(0, bytes)
}
