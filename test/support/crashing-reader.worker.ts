import { buffersOf } from '../../src/engines/cache/index/index-batch.ts'
import { NewDirectories, type ReadRequest } from '../../src/engines/cache/index/new-directories.ts'

declare const self: Worker

// The real reader, except that it dies at its third request.
const reader = new NewDirectories()
let requests = 0

self.onmessage = ({ data }: MessageEvent<ReadRequest>) => {
  if (++requests === 3) throw new Error('no memory is left')
  const batch = reader.read(data)
  self.postMessage(batch, buffersOf(batch))
}
