import type { TestApp } from './app.ts'
import type { Browser } from './sign-in.ts'

/** They end the session, run for long, or have no history in them. */
const others = /^\/(?!api|metrics)|auth|alpha|beta|gamma|delta|epsilon|prefill|status-check|theme/i

const since = 'startTime=946684800&endTime=4102444800'

interface Route {
  method: string
  path: string
}

/** Addresses of everything that reads the history: reports, lists, exports, pages of one thing. */
function addresses(app: TestApp, about: { client: string; service: string; id: number }): string[] {
  const routes = (app.routes as unknown as Route[]).filter(({ method }) => method === 'GET')
  const plain = routes.map(({ path }) => path).filter((path) => !/[:*]/.test(path))
  const client = encodeURIComponent(about.client)
  const service = encodeURIComponent(about.service)
  return [
    ...plain.filter((path) => !others.test(path)),
    ...plain.filter((path) => !others.test(path)).map((path) => `${path}?${since}`),
    `/api/ext/clients/${client}`,
    `/api/ext/services/${service}`,
    `/api/downloads/${about.id}`,
    ...['json', 'csv', 'ndjson'].map((format) => `/api/ext/downloads/export?format=${format}`),
  ]
}

/** Asks for each of them; returns those that failed, and the length of the longest answer. */
export async function readEverything(
  app: TestApp,
  owner: Browser,
  about: { client: string; service: string; id: number },
) {
  const failed: string[] = []
  let longest = 0
  let answered = 0
  for (const address of addresses(app, about)) {
    const answer = await owner.get(address)
    const body = await answer.text()
    longest = Math.max(longest, body.length)
    if (answer.status >= 500) failed.push(`${address}: ${answer.status} ${body.slice(0, 200)}`)
    if (answer.status === 200) answered++
  }
  return { failed, longest, answered }
}
