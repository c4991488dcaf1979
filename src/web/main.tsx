import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { createRoot } from 'react-dom/client'
import { createQueries } from './api/client.ts'
import { prefetchFirst } from './api/queries.ts'
import { restoreClock } from './app/clock.ts'
import { router } from './app/router.tsx'
import { startTranslation } from './locales/translate.ts'

const root = document.querySelector('#root')
if (root === null) throw new Error('the page has no root element')

const queries = createQueries()
prefetchFirst(queries)
try {
  await startTranslation()
} catch (error) {
  // The service stopped between two files; there are no texts to translate this.
  root.textContent = 'Larder could not be loaded completely. Reload the page.'
  throw error
}
restoreClock()
createRoot(root).render(
  <QueryClientProvider client={queries}>
    <RouterProvider router={router} />
  </QueryClientProvider>,
)
