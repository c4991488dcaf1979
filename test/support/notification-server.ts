import { atEnd } from './cleanup.ts'

export interface ReceivedPost {
  path: string
  headers: Headers
  body: Record<string, unknown>
}

/** A web server that receives messages; it answers, refuses with 500, or never answers. */
export function notificationServer() {
  const received: ReceivedPost[] = []
  const held = Promise.withResolvers<Response>()
  let mood: 'answers' | 'refuses' | 'hangs' = 'answers'
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    async fetch(request) {
      const path = new URL(request.url).pathname
      if (mood === 'hangs') return held.promise
      received.push({ path, headers: request.headers, body: JSON.parse(await request.text()) })
      return mood === 'refuses' ? new Response('secret reason', { status: 500 }) : new Response()
    },
  })
  atEnd(async () => {
    held.resolve(new Response())
    await server.stop(true)
  })
  return {
    url: `http://127.0.0.1:${server.port}`,
    received,
    titles: () => received.map(({ body }) => body['title'] ?? body['content']),
    setMood: (next: typeof mood) => void (mood = next),
  }
}
