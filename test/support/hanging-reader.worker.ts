import { readFileSync } from 'node:fs'
import type { ReadRequest } from '../../src/engines/cache/index/new-directories.ts'

declare const self: Worker

// Reads a pipe without a writer: it never returns, like a call to an unreachable disk.
self.onmessage = ({ data }: MessageEvent<ReadRequest>) => {
  self.postMessage(readFileSync(`${data.treePath}/pipe`))
}
