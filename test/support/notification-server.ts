import { atEnd } from './cleanup.ts'
import { testServer } from './test-server.ts'

export interface ReceivedPost {
  path: string
  headers: Headers
  body: Record<string, unknown>
}

/** A web server that receives messages; it answers, refuses with 500, or never answers. */
export function notificationServer() {
  const received: ReceivedPost[] = []
  const held = Promise.withResolvers<Response>()
  let heldCount = 0
  let mood: 'answers' | 'refuses' | 'hangs' = 'answers'
  const { url } = testServer(async (request) => {
    const path = new URL(request.url).pathname
    if (mood === 'hangs') {
      heldCount++
      return held.promise
    }
    received.push({ path, headers: request.headers, body: JSON.parse(await request.text()) })
    return mood === 'refuses' ? new Response('secret reason', { status: 500 }) : new Response()
  })
  atEnd(async () => held.resolve(new Response()))
  return {
    url,
    received,
    titles: () => received.map(({ body }) => body['title'] ?? body['content']),
    /** Requests that got no answer. */
    held: () => heldCount,
    setMood: (next: typeof mood) => void (mood = next),
  }
}
