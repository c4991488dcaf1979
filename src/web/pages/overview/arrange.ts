import { api, unwrap } from '../../api/client.ts'
import { viewPage, writeArrangement, type Arrangement } from './arrangement.ts'

/** A card moved to another place. */
export function moved(cards: Arrangement, from: number, to: number): Arrangement {
  const rest = cards.toSpliced(from, 1)
  const card = cards[from]
  return card === undefined ? cards : rest.toSpliced(Math.max(0, to), 0, card)
}

/** Stores an account's arrangement as its saved view of this page. */
async function store(cards: Arrangement): Promise<void> {
  const body = { name: 'Overview', page: viewPage, query: `cards=${writeArrangement(cards)}` }
  const views = await unwrap(api.ext.views.get())
  const held = views.find(({ page }) => page === viewPage)
  await unwrap(
    held === undefined ? api.ext.views.post(body) : api.ext.views({ id: held.id }).put(body),
  )
}

let queue: Promise<unknown> = Promise.resolve()
/** One after the other: two at once would create two views. */
export function storeArrangement(cards: Arrangement): Promise<void> {
  const stored = queue.then(() => store(cards))
  queue = stored.catch(() => {})
  return stored
}
