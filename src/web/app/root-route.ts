import { createRootRoute, lazyRouteComponent } from '@tanstack/react-router'
import { loadTexts, type Part } from '../locales/translate.ts'
import { Root } from './root.tsx'

/** Pages whose texts are not loaded with the first screen. */
const textsOf: readonly (readonly [pages: RegExp, part: Part])[] = [
  // Jobs and refusals: needed everywhere but on the first screen, which starts none.
  [/^\/./, 'work'],
  [/^\/(settings|recover|prefill)/, 'settings'],
  [/^\/(settings|sign-in)/, 'access'],
  [/^\/(settings|prefill|cache)/, 'controls'],
  [/^\/(settings\/)?clients/, 'clients'],
  [/^\/cache/, 'cache'],
  [/^\/cache/, 'corruption'],
  [/^\/settings\/(logs|datasources|database)/, 'logs'],
  [/^\/settings\/(logs|datasources|backup|database)/, 'cache'],
  [/^\/settings\/(metrics|notifications|widgets|log)$/, 'monitoring'],
  [/^\/events/, 'events'],
  [/^\/(prefill|settings\/(platform-accounts|schedules))/, 'prefill'],
  [/^\/(cache|events|downloads|games|clients|services|prefill)/, 'reports'],
]

export const rootRoute = createRootRoute({
  component: Root,
  notFoundComponent: lazyRouteComponent(() => import('./not-found.tsx'), 'NotFound'),
  beforeLoad: async ({ location }) => {
    const parts = textsOf.filter(([pages]) => pages.test(location.pathname))
    await Promise.all(parts.map(([, part]) => loadTexts(part)))
  },
})
