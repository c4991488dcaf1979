import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, unwrap } from '../../../api/eden.ts'
import { keys } from '../../../api/keys.ts'
import { Field } from '../../../components/field.tsx'
import { Dot } from '../../../components/figures.tsx'
import { say } from '../../../components/toast.tsx'
import { Button } from '../../../components/button.tsx'
import { Form } from '../../../components/form.tsx'
import { t } from '../../../locales/translate.ts'
import { refusalText } from '../../../api/refusal-text.ts'

/** Tests a key and stores it if it works; it cannot be read back. */
export function WebKeyForm({ hasKey, onDone }: { hasKey: boolean; onDone: () => void }) {
  const queries = useQueryClient()
  const [apiKey, setApiKey] = useState('')
  const body = { apiKey: apiKey.trim() }
  const trial = useMutation({ mutationFn: () => unwrap(api['alpha-api-keys'].test.post(body)) })
  const store = useMutation({
    mutationFn: () => unwrap(api['alpha-api-keys'].post(body)),
    onSuccess: async () => {
      setApiKey('')
      say(t('webKey.saved'))
      onDone()
      await queries.invalidateQueries({ queryKey: keys.alphaKey })
    },
  })
  const isBusy = trial.isPending || store.isPending
  const error = store.error ?? trial.error
  const submit = () => {
    trial.reset()
    store.mutate()
  }
  return (
    <Form onSubmit={submit} className="pt-3">
      <div className="max-w-[420px]">
        <Field
          label={t(hasKey ? 'webKey.replace' : 'webKey.field')}
          autoFocus
          name="web-key"
          type="password"
          autoComplete="off"
          spellCheck={false}
          maxLength={512}
          value={apiKey}
          onChange={({ target }) => {
            setApiKey(target.value)
            trial.reset()
            store.reset()
          }}
          hint={t('webKey.hint')}
        />
      </div>
      <div className="mt-3 flex flex-wrap items-center gap-2">
        <Button
          disabled={isBusy || body.apiKey === ''}
          onClick={() => {
            store.reset()
            trial.mutate()
          }}
        >
          {t('webKey.test')}
        </Button>
        <Button type="submit" disabled={isBusy || body.apiKey === ''}>
          {t('webKey.save')}
        </Button>
        <Button onClick={onDone}>{t('action.cancel')}</Button>
        <p role="status" className="flex items-center gap-2 text-[13px]">
          {isBusy && t('webKey.asking')}
          {!isBusy && trial.data !== undefined && (
            <>
              <Dot tone={trial.data.valid ? 'good' : 'bad'} />
              {trial.data.valid ? t('webKey.valid') : trial.data.message || t('webKey.invalid')}
            </>
          )}
          {!isBusy && error !== null && <span className="text-bad">{refusalText(error)}</span>}
        </p>
      </div>
    </Form>
  )
}
