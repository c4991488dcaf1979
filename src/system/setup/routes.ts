import { routesAt } from '../../core/http/access.ts'
import type { SystemRouteParts } from '../parts.ts'
import { ErrorBody, example } from '../../core/http/schema.ts'
import { setupChecklist } from './checklist.ts'
import { Checklist, SetupPatch, SetupPatched, SetupState } from './model.ts'
import { patchSetup, setupState } from './service.ts'

export const setupRoutes = (deps: SystemRouteParts) =>
  routesAt(deps.access, 'System', '/api/system/setup')
    .get(
      '',
      ({ caller, set }) => {
        set.headers['Cache-Control'] = 'no-store, no-cache, must-revalidate, max-age=0'
        return setupState(deps, caller)
      },
      {
        access: 'public',
        response: { 200: SetupState },
        detail: { summary: 'State of the first-run set-up' },
      },
    )
    .patch(
      '',
      ({ caller, body }) => {
        patchSetup(deps, caller, body)
        const setupCompleted = deps.settings.get('setup.isCompleted')
        return { message: 'The set-up was updated', setupCompleted }
      },
      {
        access: 'account',
        body: example(SetupPatch, {
          currentSetupStep: 'platform-setup',
          completedPlatforms: 'alpha',
        }),
        response: { 200: SetupPatched, 400: ErrorBody, 403: ErrorBody },
        detail: { summary: "Store the first-run set-up's step, or complete it" },
      },
    )

export const setupChecklistRoutes = (deps: SystemRouteParts) =>
  routesAt(deps.access, 'System', '/api/ext/setup').get('/checklist', () => setupChecklist(deps), {
    access: 'account',
    response: { 200: Checklist },
    detail: { summary: 'Try logs, caches and database now, with a remedy for each problem' },
  })
