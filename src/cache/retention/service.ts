import type { Static } from '@sinclair/typebox'
import type { CacheParts } from '../parts.ts'
import { datasourceNamed } from '../../core/http/datasource-named.ts'
import { AppError, orNotFound } from '../../core/http/errors.ts'
import type { Rule, Selection } from './rule.ts'
import { askRules } from './preview.ts'
import { Retention } from './retention.ts'
import type { RuleRecord } from './store.ts'
import { isGameKey, type GameRemover } from './target.ts'
import type { PinBody, Preview, PreviewBody, RetentionSettings, RuleBody } from './model.ts'

const rulesMax = 100
const pinsMax = 1000
/** Games of one rule in a preview. */
const previewMax = 1000

const invalid = (text: string) => new AppError('invalid', text)

const trimmed = (text: string | null | undefined): string | null => {
  const value = text?.trim() ?? ''
  return value === '' ? null : value
}

function checkForm(rule: Omit<Rule, 'id'>): void {
  const needsDays = rule.condition === 'storedLongerThan' || rule.condition === 'unusedFor'
  if (needsDays && rule.days === null) throw invalid('days is missing')
  if (!needsDays && rule.bytes === null) throw invalid('bytes is missing')
  if (rule.gameKey !== null && !isGameKey(rule.gameKey)) throw invalid('gameKey names no game')
  if (rule.condition !== 'serviceAbove') return
  if (rule.service === null) throw invalid('service is missing: its total is what counts')
  if (rule.gameKey !== null || rule.datasource !== null) {
    throw invalid('The total of a service is about all its games in all datasources')
  }
}

/** Validates a rule for storage. Throws `invalid` and, for its datasource, `notFound`. */
function readRule(
  deps: CacheParts,
  body: RuleBody,
  otherwise: Pick<Rule, 'isEnabled' | 'position'>,
): Omit<Rule, 'id'> {
  const name = body.name.trim()
  if (name === '') throw invalid('name is missing')
  const datasource = trimmed(body.datasource)
  const needsDays = body.condition === 'storedLongerThan' || body.condition === 'unusedFor'
  const rule = {
    name,
    isEnabled: body.isEnabled ?? otherwise.isEnabled,
    position: body.position ?? otherwise.position,
    service: trimmed(body.service)?.toLowerCase() ?? null,
    gameKey: trimmed(body.gameKey),
    datasource: datasource === null ? null : datasourceNamed(deps.config, datasource).name,
    condition: body.condition,
    days: needsDays ? (body.days ?? null) : null,
    bytes: needsDays ? null : (body.bytes ?? null),
  }
  checkForm(rule)
  return rule
}

const ruleView = ({ createdAt, updatedAt, ...rule }: RuleRecord) => ({
  ...rule,
  createdAtUtc: createdAt.toISOString(),
  updatedAtUtc: updatedAt.toISOString(),
})

const iso = (seconds: number) => new Date(seconds * 1000).toISOString()

function previewOf({
  rule,
  abstains,
  verdicts,
}: Selection): Static<typeof Preview>['rules'][number] {
  const leaving = verdicts.filter(({ state }) => state === 'leaves').map(({ game }) => game)
  return {
    ruleId: rule.id === '' ? null : rule.id,
    name: rule.name,
    abstains: abstains?.text ?? null,
    abstainsKey: abstains?.key ?? null,
    abstainsContext: abstains?.values ?? null,
    games: verdicts.slice(0, previewMax).map(({ game, why, state }) => {
      const { key: gameKey, lastStoredAt, lastUsedAt, bytesOn: _bytesOn, ...facts } = game
      const times = { lastStoredAtUtc: iso(lastStoredAt), lastUsedAtUtc: iso(lastUsedAt) }
      return { gameKey, ...facts, ...times, why, state }
    }),
    isCut: verdicts.length > previewMax,
    gameCount: leaving.length,
    files: leaving.reduce((sum, { files }) => sum + files, 0),
    bytes: leaving.reduce((sum, { bytes }) => sum + bytes, 0),
  }
}

function createRules(deps: CacheParts, { store }: Retention) {
  const found = (id: string): RuleRecord => orNotFound(store.rule(id), 'Rule not found')
  return {
    rules: () => ({ items: store.rules().map(ruleView) }),

    create(body: RuleBody) {
      const all = store.rules()
      if (all.length >= rulesMax) throw new AppError('conflict', `At most ${rulesMax} rules`)
      const now = deps.clock.now()
      const rule = readRule(deps, body, { isEnabled: false, position: all.length })
      const record = { id: crypto.randomUUID(), ...rule, createdAt: now, updatedAt: now }
      store.putRule(record)
      return ruleView(record)
    },

    /** Games listed by the previous version are evaluated again. */
    update(id: string, body: RuleBody) {
      const known = found(id)
      const record = { ...known, ...readRule(deps, body, known) }
      record.updatedAt = deps.clock.now()
      store.atOnce(() => {
        store.putRule(record)
        store.dropWaiting({ ruleId: id })
      })
      return ruleView(record)
    },

    delete(id: string): void {
      store.deleteRule(found(id).id)
    },

    async preview({ ruleId, rule }: PreviewBody): Promise<Static<typeof Preview>> {
      let asked: Rule[] = store.rules().filter(({ isEnabled }) => isEnabled)
      if (rule != null)
        asked = [{ id: '', ...readRule(deps, rule, { isEnabled: true, position: 0 }) }]
      else if (ruleId != null) asked = [found(ruleId)]
      const { selections } = await askRules(deps, store, asked)
      return { rules: selections.map(previewOf) }
    },
  }
}

function createPins({ clock }: CacheParts, retention: Retention) {
  const { store } = retention
  return {
    pins: () => ({
      items: store.pins().map(({ pinnedAt, ...pin }) => ({
        ...pin,
        pinnedAtUtc: pinnedAt.toISOString(),
      })),
    }),

    /** Takes a pinned game off the list. */
    pin({ gameKey, name }: PinBody): void {
      if (!isGameKey(gameKey)) throw invalid('gameKey names no game')
      if (store.pins().length >= pinsMax) throw new AppError('conflict', `At most ${pinsMax} pins`)
      store.atOnce(() => {
        store.putPin({ gameKey, name: trimmed(name) ?? gameKey, pinnedAt: clock.now() })
        store.dropWaiting({ gameKey })
      })
      retention.changed()
    },

    unpin(gameKey: string): void {
      if (!store.deletePin(gameKey)) throw new AppError('notFound', 'The game is not pinned')
      retention.changed()
    },
  }
}

/** Rules, pins and games listed for removal. */
export function createRetentionService(deps: CacheParts, remover: GameRemover) {
  const retention = new Retention(deps, remover)
  const { store } = retention
  const { settings } = deps

  return {
    /** Starts the schedule. */
    start: () => retention.start(),
    ...createRules(deps, retention),
    ...createPins(deps, retention),

    pending() {
      const names = new Map(store.rules().map(({ id, name }) => [id, name]))
      const items = store.pending().map(({ gameName, listedAt, dueAt, startedAt, ...row }) => ({
        ...row,
        name: gameName,
        ruleName: names.get(row.ruleId) ?? '',
        listedAtUtc: listedAt.toISOString(),
        dueAtUtc: dueAt.toISOString(),
        startedAtUtc: startedAt?.toISOString() ?? null,
      }))
      return { items }
    },
    cancel: (id: string) => ({ sparedUntilUtc: retention.cancel(id).until.toISOString() }),
    async now(id: string) {
      const { gameName } = retention.pendingById(id)
      return { operationId: await retention.now(id), message: `Removal of ${gameName}` }
    },
    /** Evaluates the rules now instead of later today. */
    ask: () => retention.ask(),

    settings: (): Static<typeof RetentionSettings> => ({
      undoHours: settings.get('retention.undoHours'),
      sparedDays: settings.get('retention.sparedDays'),
    }),
    /** Games already listed keep their due time. */
    saveSettings({ undoHours, sparedDays }: Static<typeof RetentionSettings>) {
      settings.set('retention.undoHours', undoHours)
      settings.set('retention.sparedDays', sparedDays)
      return { undoHours, sparedDays }
    },
  }
}

export type RetentionService = ReturnType<typeof createRetentionService>
