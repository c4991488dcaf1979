/*
 * The dashboard: React, bundled at build time. It takes only types from the service: answers from
 * the routes (Eden), event payloads from `core/live/events.ts`. `live/stale.ts` maps each event to
 * the queries it makes stale.
 *
 * The first screen loads what it shows. Texts and code of dialogs, jobs, panels and all other
 * pages are loaded on demand; `app/router.tsx` loads the texts of a page before the page. The
 * first load is below 150 KB of script.
 *
 * The address holds the state of a page. Range, event filter, list filters, the month of the
 * calendar and the open detail: a link shows the same, the back button takes one step. Links of
 * the navigation carry range and event on, also across pages that have none. Without a range an
 * event is shown over all time.
 *
 * Everything about the disk is one query root (`keys.cache`). The start and the end of a cache job
 * make all of it stale; its progress comes with the operation, so a reload shows the same. The
 * list of games is sorted and filtered in the browser, because the server computes it as a whole
 * from the index. A removal shows what the preview counts at that moment, and at its end what was
 * unlinked, both to the byte. Buttons that a read-only mount or unclear keys forbid are disabled
 * with the reason and the remedy (`pages/cache/gates.ts`); the server refuses as well.
 *
 * Settings are one table. `app/controls.ts` names every setting with its page and its default;
 * `Setting` shows one with its effect, and the palette leads to it by the hash of the address. A
 * test compares the defaults with those of the service, another walks over all pages and finds no
 * control outside of a `Setting`, a form or a list.
 */
import { QueryClientProvider } from '@tanstack/react-query'
import { lazyRouteComponent, RouterProvider } from '@tanstack/react-router'
import { createRoot } from 'react-dom/client'
import { createQueries } from './api/client.ts'
import { prefetchFirst } from './api/queries.ts'
import { restoreClock } from './app/clock.ts'
import { router } from './app/router.tsx'
import { startTranslation } from './locales/translate.ts'

const root = document.querySelector('#root')
if (root === null) throw new Error('the page has no root element')

const queries = createQueries()
/** The page of a share link stands outside of the dashboard. */
const Shared = lazyRouteComponent(() => import('./app/shared.tsx'), 'Shared')
const isShared = location.pathname === '/s'
if (!isShared) prefetchFirst(queries)
try {
  await startTranslation()
} catch (error) {
  // The service stopped between two files; there are no texts to translate this.
  root.textContent = 'Larder could not be loaded completely. Reload the page.'
  throw error
}
restoreClock()
// Browsers offer one on localhost too; there it would be of no use.
if (location.protocol === 'https:') {
  // Without a trusted certificate the browser refuses, and the dashboard is the same without it.
  navigator.serviceWorker
    ?.register('/service-worker.js', { updateViaCache: 'none' })
    .catch(() => {})
}
createRoot(root).render(
  <QueryClientProvider client={queries}>
    {isShared ? <Shared /> : <RouterProvider router={router} />}
  </QueryClientProvider>,
)
