import { platformFacts, type Platform } from '../../src/platforms/platforms.ts'
import { LiveClient } from './live-server.ts'
import type { Browser } from './sign-in.ts'

interface Answer {
  id: number
  result?: unknown
  error?: { message: string }
}

/** A page that is connected to a platform's hub, or to the live channel. */
export async function hubClient(
  host: string,
  browser: Pick<Browser, 'cookies'>,
  platform: Platform | null,
) {
  const path = platform === null ? '/hubs/downloads' : platformFacts[platform].hubPath
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const live = await LiveClient.open(`ws://${host}${path}`, '', {
    headers: { cookie },
    greetings: platform === null ? 2 : 1,
  })
  let calls = 0

  /** Calls a method; throws its error. */
  async function call<T = unknown>(method: string, ...args: unknown[]): Promise<T> {
    const id = ++calls
    const isAnswer = (frame: object): frame is Answer => 'id' in frame && frame.id === id
    live.socket.send(JSON.stringify({ id, method, args }))
    await live.until((frames) => frames.some(isAnswer))
    const answer = (live.frames as object[]).find(isAnswer)
    if (answer?.error !== undefined) throw new Error(answer.error.message, { cause: answer.error })
    // Given by the test.
    return answer?.result as T
  }

  return {
    host,
    live,
    call,
    /** Names of the events that were received, without greetings. */
    events: () =>
      live.frames.flatMap(({ event }) =>
        event === undefined || event === 'Welcome' || event === 'ActivityUpdated' ? [] : [event],
      ),
    received: <T>(event: string) => live.received(event) as T[],
    until: (event: string, count = 1) =>
      live.until((frames) => frames.filter((frame) => frame.event === event).length >= count),
  }
}
