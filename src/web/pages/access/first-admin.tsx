import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState, type FormEvent } from 'react'
import { api, unwrap } from '../../api/eden.ts'
import { keys } from '../../api/keys.ts'
import { Refusal } from '../../api/refusal.ts'
import { t } from '../../locales/translate.ts'
import { KeyField, NameField, NewPasswordField } from './credential-fields.tsx'
import { Frame } from './frame.tsx'
import { checkPassword, isAcceptable } from './password-rules.ts'
import { refusalText } from './refusal-text.ts'

/** An installation without accounts: whoever can read the key creates the owner. */
export function FirstAdminPage() {
  const queries = useQueryClient()
  const [apiKey, setApiKey] = useState('')
  const [username, setUsername] = useState('')
  const [password, setPassword] = useState('')
  const rules = checkPassword(password, username)
  const create = useMutation({
    mutationFn: async () => {
      const body = { apiKey: apiKey.trim(), username: username.trim(), password }
      await unwrap(api['account-setup']['first-admin'].post(body))
      await unwrap(api.auth.login.post(body))
    },
    onSettled: async () => {
      await queries.refetchQueries({ queryKey: keys.status })
      await queries.refetchQueries({ queryKey: keys.setup })
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    create.mutate()
  }
  const fields = create.error instanceof Refusal ? create.error.fields : {}
  const isComplete = apiKey.trim() !== '' && username.trim() !== '' && isAcceptable(rules)
  return (
    <Frame title={t('firstAdmin.title')} lead={t('firstAdmin.lead')}>
      <form onSubmit={submit} className="space-y-4">
        <KeyField
          value={apiKey}
          onValue={setApiKey}
          problem={fields['apikey']}
          autoFocus
          isReadable
        />
        <NameField value={username} onValue={setUsername} problem={fields['username']} />
        <NewPasswordField
          label={t('access.password')}
          rules={rules}
          value={password}
          onValue={setPassword}
          problem={fields['password']}
          name="password"
        />
        {create.error !== null && (
          <p role="alert" className="text-small text-bad">
            {refusalText(create.error)}
          </p>
        )}
        <button
          type="submit"
          disabled={create.isPending || !isComplete}
          className="control primary w-full"
        >
          {create.isPending ? t('firstAdmin.busy') : t('firstAdmin.create')}
        </button>
      </form>
    </Frame>
  )
}
