import { useOpen } from '../../../app/use-address.ts'
import { useState } from 'react'
import { api, unwrap, keys } from '../../../api/client.ts'
import { reasonText } from '../../../api/refusal-text.ts'
import { useNow } from '../../../app/clock.ts'
import { useSave } from '../../../app/use-save.ts'
import {
  Button,
  Field,
  verbatim,
  Form,
  Segments,
  Select,
  Switch,
  optionsOf,
} from '../../../components/form-controls.tsx'
import { Card, Notice, Problem, Row, StateLine } from '../../../components/card.tsx'
import { Action, SavedSwitch } from '../../../components/setting-controls.tsx'
import { notifyError, notify } from '../../../components/toast.tsx'
import { sinceText } from '../../../format/times.ts'
import { t, tn } from '../../../locales/translate.ts'
import { examples, fieldsOf, isSecret, kindNames, type FieldName } from './kinds.ts'
import type { Target } from './queries.ts'

/** Where notifications go, how the last one went, and a test. */
export function TargetsCard({ targets }: { targets: readonly Target[] }) {
  const { show } = useOpen()
  return (
    <Card title={t('notify.targets')} note={t('notify.targetsNote')}>
      {targets.length === 0 && (
        <Notice
          title={t('notify.noTargets')}
          action={<Button onClick={() => show('new')}>{t('notify.add')}</Button>}
          className="py-10"
        >
          {t('notify.noTargetsText')}
        </Notice>
      )}
      {targets.map((target) => (
        <Entry key={target.id} target={target} />
      ))}
    </Card>
  )
}

function Entry({ target }: { target: Target }) {
  const { show } = useOpen()
  const { id, name, kind, address, isEnabled, onlyProblems } = target
  const one = api.ext.notifications.targets({ id })
  const facts = [t(`notify.kind.${kind}`), address, onlyProblems ? t('notify.onlyProblems') : '']
  const test = async () => {
    const { isDelivered, error } = await unwrap(one.test.post())
    if (isDelivered) notify(t('notify.testDelivered'))
    else notifyError(t('notify.testFailed', { reason: reasonText(error ?? '') }))
  }
  return (
    <Row
      isEntry
      stale={[keys.notifications]}
      title={name}
      note={
        <>
          <span className="block">{facts.filter((fact) => fact !== '').join(' · ')}</span>
          <State target={target} />
        </>
      }
    >
      <Action label={t('notify.test')} run={test} />
      <Button aria-label={t('notify.editOne', { name })} onClick={() => show(id)}>
        {t('notify.edit')}
      </Button>
      <SavedSwitch
        label={t('notify.isEnabled', { name })}
        value={isEnabled}
        write={(next) => unwrap(one.patch({ isEnabled: next }))}
      />
    </Row>
  )
}

function State({ target }: { target: Target }) {
  const now = useNow(30_000)
  const { isEnabled, lastError, lastErrorAtUtc, lastSentAtUtc, waiting } = target
  if (!isEnabled) return <StateLine tone="quiet">{t('notify.disabled')}</StateLine>
  const waits = waiting === 0 ? [] : [tn('notify.waiting', waiting)]
  if (lastError !== null && lastErrorAtUtc !== null) {
    const time = sinceText(new Date(lastErrorAtUtc), now)
    const failed = t('notify.failed', { reason: reasonText(lastError), time })
    return <StateLine tone="bad">{[failed, ...waits].join(' · ')}</StateLine>
  }
  const sent =
    lastSentAtUtc === null
      ? t('notify.neverSent')
      : t('notify.sent', { time: sinceText(new Date(lastSentAtUtc), now) })
  const tone = lastSentAtUtc === null ? 'quiet' : 'good'
  return <StateLine tone={tone}>{[sent, ...waits].join(' · ')}</StateLine>
}

/** Each with the port that mail servers use for it, as the service does without another one. */
const securities = [
  { value: 'starttls', label: 'notify.starttls', port: '587' },
  { value: 'tls', label: 'notify.tls', port: '465' },
  { value: 'none', label: 'notify.clearText', port: '25' },
] as const

/** Secrets are never sent to the browser: their fields are empty. */
const draftOf = (target: Target | null) => ({
  kind: target?.kind ?? ('ntfy' as const),
  name: target?.name ?? '',
  onlyProblems: target?.onlyProblems ?? false,
  security: target?.security ?? ('starttls' as const),
  /** Stored secrets to remove. */
  removed: [] as readonly FieldName[],
  fields: {
    url: '',
    token: '',
    password: '',
    chatId: target?.chatId ?? '',
    host: target?.host ?? '',
    port: String(target?.port ?? ''),
    user: target?.user ?? '',
    from: target?.from ?? '',
    to: target?.to ?? '',
  } satisfies Record<FieldName, string>,
})
type Draft = ReturnType<typeof draftOf>

/** Members of the kind; empty secrets stay as they are. */
function bodyOf({ kind, name, onlyProblems, security, removed, fields }: Draft) {
  const entries = fieldsOf(kind)
    .filter((field) => fields[field.name].trim() !== '')
    .map((field) => [
      field.name,
      field.name === 'port' ? Number(fields.port) : fields[field.name].trim(),
    ])
  return {
    kind,
    name: name.trim() === '' ? t(`notify.kind.${kind}`) : name.trim(),
    onlyProblems,
    ...(kind === 'smtp' && { security }),
    ...Object.fromEntries(removed.map((field) => [field, null])),
    ...(Object.fromEntries(entries) as Partial<Record<FieldName, string>> & { port?: number }),
  }
}

interface TargetFormProps {
  /** Null: a new one. */
  target: Target | null
  onDone: () => void
}

/** Adds a target or changes one; the server says what is missing. */
export function TargetForm({ target, onDone }: TargetFormProps) {
  const saving = useSave({ stale: [keys.notifications], showsError: true })
  const { save, isBusy, error } = saving
  const [draft, setDraft] = useState(() => draftOf(target))
  const { kind, removed, fields } = draft
  const change = (part: Partial<Draft>) => setDraft({ ...draft, ...part })
  const submit = () => {
    const { targets } = api.ext.notifications
    const body = bodyOf(draft)
    save({
      run: () =>
        target === null ? unwrap(targets.post(body)) : unwrap(targets({ id: target.id }).put(body)),
      done: t('prefs.saved'),
      after: onDone,
    })
  }
  return (
    <Form onSubmit={submit} className="space-y-4">
      <Select
        label={t('notify.sendTo')}
        value={kind}
        disabled={target !== null}
        options={optionsOf(kindNames, (value) => t(`notify.kind.${value}`))}
        onChange={(next) => change({ kind: next })}
      />
      <p className="text-small text-dim">{t(`notify.hint.${kind}`)}</p>
      <Field
        label={t('notify.name')}
        maxLength={100}
        placeholder={t(`notify.kind.${kind}`)}
        value={draft.name}
        onChange={({ target: { value } }) => change({ name: value })}
      />
      {fieldsOf(kind).map(({ name, isOptional }) => (
        <OneField
          key={name}
          name={name}
          isOptional={isOptional}
          isStored={
            target?.secrets.some((secret) => secret === name) === true && !removed.includes(name)
          }
          {...(name === 'port' && {
            placeholder: securities.find(({ value }) => value === draft.security)?.port,
          })}
          value={fields[name]}
          onChange={(value) => change({ fields: { ...fields, [name]: value } })}
          onRemove={() => change({ removed: [...removed, name] })}
        />
      ))}
      {kind === 'smtp' && (
        <div>
          <p className="mb-1.5 text-small font-medium">{t('notify.security')}</p>
          <Segments
            label={t('notify.security')}
            value={draft.security}
            options={securities.map(({ value, label }) => ({ value, label: t(label) }))}
            onChange={(security) => change({ security })}
          />
        </div>
      )}
      <div className="flex items-center justify-between gap-4">
        <div>
          <p>{t('notify.onlyProblems')}</p>
          <p className="text-small text-dim">{t('notify.onlyProblemsNote')}</p>
        </div>
        <Switch
          label={t('notify.onlyProblems')}
          isOn={draft.onlyProblems}
          onChange={(onlyProblems) => change({ onlyProblems })}
        />
      </div>
      <Problem error={error} />
      <Button type="submit" className="primary w-full" disabled={isBusy}>
        {t(target === null ? 'notify.add' : 'notify.save')}
      </Button>
      {target !== null && (
        <Action
          label={t('notify.delete')}
          consequence={t('notify.deleteConsequence')}
          run={() => unwrap(api.ext.notifications.targets({ id: target.id }).delete())}
          done={t('notify.deleted')}
          after={onDone}
          saving={saving}
        />
      )}
    </Form>
  )
}

interface OneFieldProps {
  name: FieldName
  isOptional: boolean
  isStored: boolean
  placeholder?: string | undefined
  value: string
  onChange: (value: string) => void
  onRemove: () => void
}

function OneField(props: OneFieldProps) {
  const { name, isOptional, isStored, placeholder = examples[name], value } = props
  const { onChange, onRemove } = props
  const label = t(`notify.field.${name}`)
  const storedHint = (
    <>
      {t('notify.storedHint')}{' '}
      {isOptional && (
        <button type="button" className="link" onClick={onRemove}>
          {t('notify.removeStored')}
        </button>
      )}
    </>
  )
  return (
    <Field
      label={isOptional ? t('notify.optional', { name: label }) : label}
      name={`target-${name}`}
      type={isSecret(name) && name !== 'url' ? 'password' : 'text'}
      inputMode={name === 'port' ? 'numeric' : undefined}
      {...verbatim}
      required={!isOptional && !isStored}
      placeholder={isStored ? t('notify.stored') : placeholder}
      hint={isStored && storedHint}
      value={value}
      onChange={({ target }) => onChange(target.value)}
    />
  )
}
