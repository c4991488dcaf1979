import { serveLocally } from './stand-ins/serve-locally.ts'
import { atEnd } from './cleanup.ts'

/** A web server on a free port of loopback, stopped after the file's last test. */
export function testServer(...[answer]: Parameters<typeof serveLocally>) {
  const server = serveLocally(answer)
  return { ...server, stop: atEnd(server.stop) }
}
