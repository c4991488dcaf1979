import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Button, Form, useTexts } from '../../components/form-controls.tsx'
import { Problem } from '../../components/card.tsx'
import { api, unwrap, keys } from '../../api/client.ts'
import { Refusal } from '../../api/refusal.ts'
import { t } from '../../locales/translate.ts'
import {
  KeyField,
  NameField,
  NewPasswordField,
} from '../../components/credentials/credential-fields.tsx'
import { Frame } from './frame.tsx'
import { checkPassword, isAcceptable } from '../../components/credentials/password-rules.ts'

/** First visit without accounts: the installation key authorises creating the owner's account. */
export function Page() {
  const queries = useQueryClient()
  const { texts, bind } = useTexts({ apiKey: '', username: '', password: '' })
  const { apiKey, username, password } = texts
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
  const submit = () => create.mutate()
  const fields = create.error instanceof Refusal ? create.error.fields : {}
  const isComplete = apiKey.trim() !== '' && username.trim() !== '' && isAcceptable(rules)
  return (
    <Frame title={t('firstAdmin.title')} lead={t('firstAdmin.lead')}>
      <Form onSubmit={submit} className="space-y-4">
        <KeyField {...bind('apiKey')} problem={fields['apikey']} autoFocus isReadable />
        <NameField {...bind('username')} problem={fields['username']} />
        <NewPasswordField
          label={t('access.password')}
          name="password"
          rules={rules}
          {...bind('password')}
          problem={fields['password']}
        />
        <Problem error={create.error} />
        <Button type="submit" disabled={create.isPending || !isComplete} className="primary w-full">
          {create.isPending ? t('firstAdmin.busy') : t('firstAdmin.create')}
        </Button>
      </Form>
    </Frame>
  )
}
