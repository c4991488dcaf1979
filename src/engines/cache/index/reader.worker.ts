import { ownThread, workInBackground } from '../../engine.ts'
import { buffersOf } from './index-batch.ts'
import { NewDirectories, type ReadRequest } from './new-directories.ts'

/** Reads cache directories for the thread that writes the index; lives as long as one walk. */

declare const self: Worker

const reader = new NewDirectories()

// Sent first: a thread that waits for a dead disk must not be terminated.
self.postMessage(ownThread())
workInBackground()

self.onmessage = ({ data }: MessageEvent<ReadRequest>) => {
  const batch = reader.read(data)
  self.postMessage(batch, buffersOf(batch))
}
