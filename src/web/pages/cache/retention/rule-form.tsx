import { useMutation } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { useDatasources } from '../../../api/cache-queries.ts'
import { api, unwrap } from '../../../api/client.ts'
import { Field, Button, Form, Select, optionsOf } from '../../../components/form-controls.tsx'
import { Problem, StateLine } from '../../../components/card.tsx'
import { serviceName } from '../../../format/services.ts'
import { t, type Key, tn } from '../../../locales/translate.ts'
import { useSave } from '../../../app/use-save.ts'
import { bodyOfDraft, draftOf, emptyDraft, missingIn, needsDays, type Draft } from './draft.ts'
import {
  bodyOf,
  retentionKey,
  useCanChange,
  useGames,
  type Rule,
  type RuleBody,
  type Preview,
} from './queries.ts'
import { sentenceOf, skipReasonText } from './sentence.ts'
import { shownGame } from '../games/entries.ts'
import { useNow } from '../../../app/clock.ts'
import { byteText } from '../../../format/numbers.ts'
import { sinceText } from '../../../format/times.ts'

interface RuleFormProps {
  /** Null for a new rule. */
  rule: Rule | null
  onDone: () => void
}

const conditions: readonly { value: RuleBody['condition']; label: Key }[] = [
  { value: 'unusedFor', label: 'retention.unusedFor' },
  { value: 'storedLongerThan', label: 'retention.storedLongerThan' },
  { value: 'gameLargerThan', label: 'retention.gameLargerThan' },
  { value: 'serviceAbove', label: 'retention.serviceAbove' },
  { value: 'diskBelow', label: 'retention.diskBelow' },
]

const rulesApi = api.ext.retention.rules

/** Edits a rule, showing it as a sentence and what it would remove now. */
export function RuleForm({ rule, onDone }: RuleFormProps) {
  const canChange = useCanChange()
  const { nameOf } = useGames()
  const [draft, setDraft] = useState<Draft>(rule === null ? emptyDraft : draftOf(rule))
  const { save, isBusy } = useSave({ stale: [retentionKey] })
  const preview = useMutation({
    mutationFn: (body: RuleBody) => unwrap(api.ext.retention.preview.post({ rule: body })),
  })
  const statusId = useId()
  const body = bodyOfDraft(draft)
  const missing = missingIn(draft)
  const set = (part: Partial<Draft>) => {
    setDraft({ ...draft, ...part })
    preview.reset()
  }
  const submit = () => {
    if (body === null) return
    save({
      run: async () => {
        if (rule === null) return unwrap(rulesApi.post(body))
        const { isEnabled, position } = rule
        return unwrap(rulesApi({ id: rule.id }).put({ ...body, isEnabled, position }))
      },
      done: t(rule === null ? 'retention.created' : 'retention.saved'),
      after: onDone,
      undo: rule === null ? undefined : () => unwrap(rulesApi({ id: rule.id }).put(bodyOf(rule))),
    })
  }
  return (
    <Form onSubmit={submit} className="space-y-4">
      <fieldset disabled={!canChange} className="min-w-0 space-y-4">
        <RuleFields draft={draft} onChange={set} />
      </fieldset>
      <p id={statusId} role="status" className="rounded-control bg-raise p-3 text-[13px]">
        {missing !== null && t(missing)}
        {body !== null && sentenceOf(body, nameOf)}
      </p>
      <div className="flex flex-wrap gap-2">
        <Button
          disabled={body === null || preview.isPending}
          aria-describedby={statusId}
          title={missing === null ? undefined : t(missing)}
          onClick={() => body !== null && preview.mutate(body)}
        >
          {t(preview.isPending ? 'retention.dryRunning' : 'retention.dryRun')}
        </Button>
        {canChange && (
          <Button
            type="submit"
            className="primary h-[34px]"
            disabled={body === null || isBusy}
            aria-describedby={statusId}
            title={missing === null ? undefined : t(missing)}
          >
            {t('retention.save')}
          </Button>
        )}
      </div>
      {rule === null && canChange && (
        <p className="text-small text-dim">{t('retention.startsOff')}</p>
      )}
      <Problem error={preview.error} className="text-[13px]" />
      {preview.data?.rules.map((result) => (
        <DryRun key={result.name} result={result} />
      ))}
    </Form>
  )
}

interface RuleFieldsProps {
  draft: Draft
  onChange: (part: Partial<Draft>) => void
}

function RuleFields({ draft, onChange }: RuleFieldsProps) {
  const { games } = useGames()
  const sources = useDatasources().data?.items ?? []
  const services = [...new Set(games.map(({ service }) => service))].toSorted()
  const isTotal = draft.condition === 'serviceAbove'
  return (
    <>
      <Field
        label={t('retention.name')}
        value={draft.name}
        maxLength={100}
        onChange={({ target }) => onChange({ name: target.value })}
      />
      <Select
        label={t('retention.condition')}
        value={draft.condition}
        options={conditions.map(({ value, label }) => ({ value, label: t(label) }))}
        onChange={(condition) => onChange({ condition })}
      />
      {needsDays(draft.condition) ? (
        <Field
          label={t('retention.daysField')}
          inputMode="numeric"
          value={draft.days}
          onChange={({ target }) => onChange({ days: target.value.trim() })}
        />
      ) : (
        <Field
          label={t('retention.bytesField')}
          inputMode="decimal"
          value={draft.gigabytes}
          onChange={({ target }) => onChange({ gigabytes: target.value.trim() })}
        />
      )}
      <Select
        label={t('retention.service')}
        value={draft.service}
        options={[
          { value: '', label: t(isTotal ? 'retention.chooseService' : 'retention.allServices') },
          ...optionsOf(services, (name) => serviceName(name)),
        ]}
        onChange={(service) => onChange({ service, gameKey: '' })}
      />
      {!isTotal && (
        <Select
          label={t('retention.game')}
          value={draft.gameKey}
          options={[
            { value: '', label: t('retention.allGames') },
            ...games
              .filter(({ service }) => draft.service === '' || service === draft.service)
              .map(({ key, name }) => ({ value: key, label: name })),
          ]}
          onChange={(gameKey) => onChange({ gameKey })}
        />
      )}
      {!isTotal && sources.length > 1 && (
        <Select
          label={t('retention.source')}
          value={draft.datasource}
          options={[
            { value: '', label: t('retention.allSources') },
            ...sources.map(({ name }) => ({ value: name, label: name })),
          ]}
          onChange={(datasource) => onChange({ datasource })}
        />
      )}
    </>
  )
}

const shownMax = 100

/** What a rule would remove now, and what it would spare although it matches. */
function DryRun({ result }: { result: Preview }) {
  const now = useNow(60_000)
  const { abstains, games, gameCount, bytes, isCut } = result
  return (
    <section aria-label={t('retention.dryRunResult')} className="border-t border-line pt-4">
      <div className="mb-2 text-[13px]">
        {abstains !== null ? (
          <StateLine tone="attention">
            {t('retention.abstains', { reason: skipReasonText(result) })}
          </StateLine>
        ) : (
          <StateLine tone={gameCount > 0 ? 'quiet' : 'good'}>
            {gameCount === 0
              ? t(games.length > 0 ? 'retention.wouldRemoveNoMore' : 'retention.wouldRemoveNone')
              : tn('retention.wouldRemove', gameCount, { bytes: byteText(bytes) })}
          </StateLine>
        )}
      </div>
      <ul>
        {games.slice(0, shownMax).map((game) => (
          <li
            key={game.gameKey}
            className="flex gap-3 border-line py-1.5 text-[13px] not-last:border-b"
          >
            <span className="min-w-0 flex-1">
              <span className="block truncate font-medium">{shownGame(game.name)}</span>
              <span className="block text-dim">
                {game.state === 'leaves'
                  ? t('retention.usedAgo', { time: sinceText(new Date(game.lastUsedAtUtc), now) })
                  : t(`retention.state.${game.state}`)}
              </span>
            </span>
            <span className="figure">{byteText(game.bytes)}</span>
          </li>
        ))}
      </ul>
      {(isCut || games.length > shownMax) && (
        <p className="mt-2 text-small text-dim">{t('retention.more')}</p>
      )}
    </section>
  )
}
