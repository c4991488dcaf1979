import { createRootRoute } from '@tanstack/react-router'
import { loadTexts } from '../locales/translate.ts'
import { NotFound } from './not-found.tsx'
import { Root } from './root.tsx'

export const rootRoute = createRootRoute({
  component: Root,
  notFoundComponent: NotFound,
  beforeLoad: async ({ location }) => {
    if (/^\/(settings|recover)/.test(location.pathname)) await loadTexts('settings')
  },
})
