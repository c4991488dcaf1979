import { readFileSync } from 'node:fs'
import type { ReadRequest } from '../../src/engines/cache/index/new-directories.ts'

declare const self: Worker

// Reads a pipe that nobody writes to: that never returns, like a question about a disk that is gone.
self.onmessage = ({ data }: MessageEvent<ReadRequest>) => {
  self.postMessage(readFileSync(`${data.treePath}/pipe`))
}
