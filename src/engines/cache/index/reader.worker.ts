import { ownThread, workInBackground } from '../../engine.ts'
import { buffersOf } from './found-batch.ts'
import { NewDirectories, type ReadRequest } from './new-directories.ts'

/** Reads directories of a cache for the thread that writes the index; lives as long as one walk. */

declare const self: Worker

const reader = new NewDirectories()

// First of all where this thread is listed: one that waits for a dead disk must not be ended.
self.postMessage(ownThread())
workInBackground()

self.onmessage = ({ data }: MessageEvent<ReadRequest>) => {
  const batch = reader.read(data)
  self.postMessage(batch, buffersOf(batch))
}
