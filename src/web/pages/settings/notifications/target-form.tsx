import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, unwrap } from '../../../api/eden.ts'
import { keys } from '../../../api/keys.ts'
import { Button } from '../../../components/button.tsx'
import { Field } from '../../../components/field.tsx'
import { Form } from '../../../components/form.tsx'
import { Problem } from '../../../components/problem.tsx'
import { Segments } from '../../../components/segments.tsx'
import { Confirm } from '../../../components/setting.tsx'
import { Switch } from '../../../components/switch.tsx'
import { say } from '../../../components/toast.tsx'
import { t } from '../../../locales/translate.ts'
import { Select } from '../../../components/select.tsx'
import { useSave } from '../../../app/use-save.ts'
import { fieldRules, fieldsOf, kindNames, kinds, type FieldName } from './kinds.ts'
import type { Target } from './queries.ts'

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
  const { label } = kinds[kind]
  const entries = fieldsOf(kind)
    .filter((field) => fields[field.name].trim() !== '')
    .map((field) => [
      field.name,
      field.name === 'port' ? Number(fields.port) : fields[field.name].trim(),
    ])
  return {
    kind,
    name: name.trim() === '' ? t(label) : name.trim(),
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
  const queries = useQueryClient()
  const [draft, setDraft] = useState(() => draftOf(target))
  const { kind, removed, fields } = draft
  const change = (part: Partial<Draft>) => setDraft({ ...draft, ...part })
  const store = useMutation({
    mutationFn: () => {
      const { targets } = api.ext.notifications
      const body = bodyOf(draft)
      return target === null
        ? unwrap(targets.post(body))
        : unwrap(targets({ id: target.id }).put(body))
    },
    onSuccess: async () => {
      say(t('prefs.saved'))
      onDone()
      await queries.invalidateQueries({ queryKey: keys.notifications })
    },
  })
  return (
    <Form onSubmit={() => store.mutate()} className="space-y-4">
      <Select
        label={t('notify.kind')}
        value={kind}
        disabled={target !== null}
        options={kindNames.map((value) => ({ value, label: t(kinds[value].label) }))}
        onChange={(next) => change({ kind: next })}
      />
      <p className="text-small text-dim">{t(kinds[kind].hint)}</p>
      <Field
        label={t('notify.name')}
        maxLength={100}
        placeholder={t(kinds[kind].label)}
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
      <Problem error={store.error} />
      <Button type="submit" className="primary w-full" disabled={store.isPending}>
        {t(target === null ? 'notify.add' : 'notify.save')}
      </Button>
      {target !== null && <Delete target={target} onDone={onDone} />}
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

function OneField({
  name,
  isOptional,
  isStored,
  value,
  onChange,
  onRemove,
  ...rest
}: OneFieldProps) {
  const { label, isSecret = false, placeholder = rest.placeholder } = fieldRules[name]
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
      label={isOptional ? t('notify.optional', { name: t(label) }) : t(label)}
      name={`target-${name}`}
      type={isSecret && name !== 'url' ? 'password' : 'text'}
      inputMode={name === 'port' ? 'numeric' : undefined}
      autoComplete="off"
      autoCapitalize="none"
      spellCheck={false}
      required={!isOptional && !isStored}
      placeholder={isStored ? t('notify.stored') : placeholder}
      hint={isStored && storedHint}
      value={value}
      onChange={({ target }) => onChange(target.value)}
    />
  )
}

function Delete({ target, onDone }: { target: Target; onDone: () => void }) {
  const { save, isBusy } = useSave({ stale: [keys.notifications] })
  return (
    <Confirm
      label={t('notify.delete')}
      consequence={t('notify.deleteConsequence')}
      isBusy={isBusy}
      onConfirm={() =>
        save({
          run: () => unwrap(api.ext.notifications.targets({ id: target.id }).delete()),
          done: t('notify.deleted'),
          after: onDone,
        })
      }
    />
  )
}
