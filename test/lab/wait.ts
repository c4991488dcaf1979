import net from 'node:net'

/** Default limit of a wait, in milliseconds. */
const defaultTimeoutMs = 30_000
const pollMs = 50

/** Polls until the answer is true. Throws with `what` after the time limit. */
export async function eventually(
  condition: () => boolean | Promise<boolean>,
  what: string,
  timeoutMs = defaultTimeoutMs,
): Promise<void> {
  const endMs = performance.now() + timeoutMs
  while (!(await condition())) {
    if (performance.now() > endMs) throw new Error(`did not happen in ${timeoutMs} ms: ${what}`)
    await Bun.sleep(pollMs)
  }
}

/** A port that is currently unused. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = net.createServer()
    server.on('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      const port = typeof address === 'object' && address !== null ? address.port : 0
      server.close(() => resolve(port))
    })
  })
}
