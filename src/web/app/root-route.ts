import { createRootRoute } from '@tanstack/react-router'
import { NotFound } from './not-found.tsx'
import { Root } from './root.tsx'

export const rootRoute = createRootRoute({ component: Root, notFoundComponent: NotFound })
