import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { createRoot } from 'react-dom/client'
import { createQueries } from './api/client.ts'
import { router } from './app/router.tsx'
import { startTranslation } from './locales/translate.ts'

const root = document.querySelector('#root')
if (root === null) throw new Error('the page has no root element')

await startTranslation()
createRoot(root).render(
  <QueryClientProvider client={createQueries()}>
    <RouterProvider router={router} />
  </QueryClientProvider>,
)
