import { requireChoice } from '../../core/http/choice.ts'
import type { Static } from '@sinclair/typebox'
import { readCredentials } from '../../../db/history/credentials.ts'
import type { SystemParts } from '../parts.ts'
import { isAccountHolder, type Caller } from '../../core/caller.ts'
import { AppError } from '../../core/http/errors.ts'
import { hasProcessedLogs } from '../../core/data-facts.ts'
import type { SetupPatch, SetupState } from './model.ts'

/** Pages of the first-run wizard, as stored. */
const steps = [
  'database-setup',
  'external-db-form',
  'external-db-confirm',
  'permissions-check',
  'import-historical-data',
  'platform-setup',
  'alpha-api-key',
  'alpha-auth',
  'depot-init',
  'catalog-progress',
  'beta-auth',
  'log-processing',
  'depot-mapping',
  'epsilon-auth',
  'admin-account',
]
const choices = ['github', 'alpha', 'beta', 'epsilon', 'skip']
const platformsCharsMax = 2000

/** External servers only: our own generates its password. */
function needsCredentials({ config }: SystemParts): boolean {
  const { mode, host, password } = config.postgres
  if (mode === 'embedded' || (host !== null && password !== null)) return false
  return readCredentials(config.dataPath) === null
}

function postgresFacts({ config, history }: SystemParts, isShown: boolean) {
  if (!isShown) {
    return { postgresHost: null, postgresPort: null, postgresDatabase: null, postgresUser: null }
  }
  const target = history.connection()
  const isEmbedded = config.postgres.mode === 'embedded'
  return {
    postgresHost: target.host === '' ? null : target.host,
    postgresPort: isEmbedded ? null : target.port,
    postgresDatabase: target.database,
    postgresUser: target.user,
  }
}

/** State of the first-run set-up; the database connection is for account holders. */
export async function setupState(deps: SystemParts, caller: Caller): Promise<SetupState> {
  const { settings, config } = deps
  const isCompleted = settings.get('setup.isCompleted')
  return {
    isCompleted,
    setupCompleted: isCompleted,
    hasProcessedLogs: await hasProcessedLogs(deps),
    needsPostgresCredentials: needsCredentials(deps),
    accountExists: deps.hasAccount(),
    currentSetupStep: settings.get('setup.currentStep'),
    dataSourceChoice: settings.get('setup.dataSourceChoice'),
    completedPlatforms: settings.get('setup.completedPlatforms'),
    mode: config.postgres.mode,
    ...postgresFacts(deps, isAccountHolder(caller)),
  }
}

function clearWizard({ settings }: SystemParts): void {
  settings.clear('setup.currentStep')
  settings.clear('setup.dataSourceChoice')
  settings.clear('setup.completedPlatforms')
}

/**
 * Completes the set-up, after which a new installation reads its logs, or reopens it: only the owner
 * may, and it stays recorded as completed before.
 */
function setCompleted(
  { settings, logs, noteReopened }: SystemParts,
  caller: Caller,
  isCompleted: boolean,
): void {
  if (!isCompleted && settings.get('setup.isCompleted')) {
    if (!caller.isOwner) throw new AppError('refused', 'Only the owner can reopen the setup')
    noteReopened(caller)
    settings.set('setup.wasCompleted', true)
  }
  settings.set('setup.isCompleted', isCompleted)
  if (isCompleted) logs.beginReading()
}

/** Stores the wizard's step. `completed` ends it; an empty body clears the step. */
export function patchSetup(
  deps: SystemParts,
  caller: Caller,
  body: Static<typeof SetupPatch>,
): void {
  const { settings } = deps
  const completed = body.completed ?? null
  const given = (values: readonly string[], name: 'currentSetupStep' | 'dataSourceChoice') =>
    body[name] == null ? null : requireChoice(values, body[name], name)
  const step = given(steps, 'currentSetupStep')
  const choice = given(choices, 'dataSourceChoice')
  const platforms = body.completedPlatforms ?? null
  if (platforms !== null && platforms.length > platformsCharsMax) {
    throw new AppError('invalid', `completedPlatforms has at most ${platformsCharsMax} characters`)
  }
  if (completed !== null) setCompleted(deps, caller, completed)
  if (choice === 'alpha') settings.set('depots.crawlMode', 'incremental')
  if (choice === 'github') settings.set('depots.crawlMode', 'github')
  if (completed !== null || (step === null && choice === null && platforms === null)) {
    clearWizard(deps)
    return
  }
  if (step !== null) settings.set('setup.currentStep', step)
  if (choice !== null) settings.set('setup.dataSourceChoice', choice)
  if (platforms !== null) settings.set('setup.completedPlatforms', platforms)
}
