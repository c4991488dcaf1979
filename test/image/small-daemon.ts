/** A daemon of prefill that knows two commands; runs as the only program of a container. */
import { createServer, type Socket } from 'node:net'
import { readRequest, writeResponse } from '../../src/prefill/protocol/envelopes.ts'
import { encodeFrame, FrameReader } from '../../src/prefill/protocol/frames.ts'

/** What the container was created with. */
const environment = process.env
const secret = environment['PREFILL_SOCKET_SECRET']

if (process.argv.at(-1) !== 'daemon' || environment['BROKEN'] !== undefined) {
  console.error(`cannot listen, secret ${secret}`)
  process.exit(4)
}

function answer(socket: Socket, text: string): void {
  const { id, type, parameters } = readRequest(JSON.parse(text))
  const isRight = type !== 'auth' || parameters['secret'] === secret
  const data = type === 'status' ? { isLoggedIn: true, isInitialized: true } : undefined
  socket.write(encodeFrame(writeResponse(id, { success: isRight, data }, new Date())))
  if (!isRight) socket.end()
}

createServer((socket) => {
  const frames = new FrameReader()
  socket.on('data', (chunk: Buffer) => {
    for (const text of frames.read(chunk)) answer(socket, text)
  })
}).listen(environment['PREFILL_SOCKET_PATH'])
