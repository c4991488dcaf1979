import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useAccounts } from '../../api/access-queries.ts'
import { api, unwrap, keys } from '../../api/client.ts'
import { useStatus } from '../../api/queries.ts'
import { Card, Notice, Problem, Row, StateLine } from '../../components/card.tsx'
import { Field, Button, Form, useTexts } from '../../components/form-controls.tsx'
import { notify } from '../../components/toast.tsx'
import { t } from '../../locales/translate.ts'
import { NewPasswordField } from '../../components/credentials/credential-fields.tsx'
import { checkPassword, isAcceptable } from '../../components/credentials/password-rules.ts'
import { SettingsPage } from './settings-page.tsx'
import { oidcProblem, useOidc } from '../../api/oidc.ts'
import { Action } from '../../components/setting-controls.tsx'

/** Changes the user's own password. */
export function Page() {
  const { data: status } = useStatus()
  const accounts = useAccounts().data
  const own = accounts?.find(({ id }) => id === status?.accountId)
  return (
    <SettingsPage title={t('settings.password')}>
      {status?.accountId === null ? (
        <div className="card">
          <Notice title={t('refused.password-accountRequired')} className="py-16" />
        </div>
      ) : (
        <>
          <PasswordForm username={own?.username ?? ''} />
          <LinkCard />
        </>
      )}
    </SettingsPage>
  )
}

function PasswordForm({ username }: { username: string }) {
  const queries = useQueryClient()
  const none = { current: '', fresh: '' }
  const { texts, setTexts, bind } = useTexts(none)
  const { current, fresh } = texts
  const rules = checkPassword(fresh, username)
  const change = useMutation({
    mutationFn: () =>
      unwrap(api.auth.password.post({ currentPassword: current, newPassword: fresh })),
    onSuccess: async () => {
      setTexts(none)
      notify(t('password.changed'))
      // The session has a new token, and thus a new antiforgery token.
      await queries.refetchQueries({ queryKey: keys.status })
    },
  })
  const submit = () => change.mutate()
  return (
    <Card title={username === '' ? t('settings.password') : username} note={t('password.note')}>
      <Form onSubmit={submit} className="max-w-[420px] space-y-4">
        <input
          type="text"
          name="username"
          autoComplete="username"
          value={username}
          readOnly
          hidden
        />
        <Field
          label={t('password.current')}
          name="current-password"
          type="password"
          autoComplete="current-password"
          required
          {...bind('current')}
        />
        <NewPasswordField label={t('accounts.newPassword')} rules={rules} {...bind('fresh')} />
        <Problem error={change.error} />
        <Button
          type="submit"
          className="primary px-5"
          disabled={change.isPending || current === '' || !isAcceptable(rules)}
        >
          {t('password.change')}
        </Button>
      </Form>
    </Card>
  )
}

/** Whether the user's own account can also sign in through the provider. */
function LinkCard() {
  const { data } = useOidc()
  if (data === undefined || data.label === null) return null
  const { label: name, isLinked } = data
  const problem = oidcProblem()
  const link = async () => {
    const { url } = await unwrap(api.ext.oidc.link.post({ returnPath: location.pathname }))
    location.assign(url)
  }
  return (
    <Card stale={[keys.oidc]} title={t('oidc.linkTitle', { name })} note={t('oidc.linkNote')}>
      <Row
        title={t(isLinked ? 'oidc.linked' : 'oidc.notLinked')}
        note={problem !== null && <StateLine tone="attention">{t(problem)}</StateLine>}
      >
        {isLinked ? (
          <Action label={t('oidc.unlink')} run={() => unwrap(api.ext.oidc.link.delete())} />
        ) : (
          <Action label={t('oidc.link')} run={link} />
        )}
      </Row>
    </Card>
  )
}
