import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, unwrap } from '../../../api/eden.ts'
import { keys } from '../../../api/keys.ts'
import { Field } from '../../../components/field.tsx'
import { Segments } from '../../../components/segments.tsx'
import { say } from '../../../components/toast.tsx'
import { Button } from '../../../components/button.tsx'
import { Form } from '../../../components/form.tsx'
import { Problem } from '../../../components/problem.tsx'
import { t } from '../../../locales/translate.ts'
import { NewPasswordField } from '../../../components/credentials/credential-fields.tsx'
import { checkPassword, isAcceptable } from '../../../components/credentials/password-rules.ts'

const nameMax = 64

export function NewAccount({ isOwner, onDone }: { isOwner: boolean; onDone: () => void }) {
  const queries = useQueryClient()
  const [username, setUsername] = useState('')
  const [password, setPassword] = useState('')
  const [role, setRole] = useState<'user' | 'admin'>('user')
  const rules = checkPassword(password, username)
  const create = useMutation({
    mutationFn: () => unwrap(api.accounts.post({ username: username.trim(), password, role })),
    onSuccess: async (account) => {
      say(t('accounts.wasCreated', { name: account.username }))
      onDone()
      await queries.invalidateQueries({ queryKey: keys.accounts })
    },
  })
  const submit = () => create.mutate()
  return (
    <Form onSubmit={submit} className="space-y-4">
      <Field
        label={t('access.username')}
        name="new-username"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={nameMax}
        required
        autoFocus
        value={username}
        onChange={({ target }) => setUsername(target.value)}
      />
      <NewPasswordField
        label={t('access.password')}
        rules={rules}
        value={password}
        onValue={setPassword}
      />
      <div>
        <p className="mb-1.5 text-small font-medium">{t('accounts.role')}</p>
        <Segments
          label={t('accounts.role')}
          value={role}
          options={[
            { value: 'user', label: t('role.user') },
            ...(isOwner ? [{ value: 'admin' as const, label: t('role.admin') }] : []),
          ]}
          onChange={setRole}
        />
        <p className="mt-1.5 text-small text-dim">
          {t(isOwner ? 'accounts.roleHint' : 'refused.adminByOwner')}
        </p>
      </div>
      <Problem error={create.error} />
      <Button
        type="submit"
        className="primary w-full"
        disabled={create.isPending || username.trim() === '' || !isAcceptable(rules)}
      >
        {t('accounts.add')}
      </Button>
    </Form>
  )
}
