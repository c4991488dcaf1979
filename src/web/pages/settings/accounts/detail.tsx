import { useState } from 'react'
import type { Account } from '../../../api/access-queries.ts'
import { api, unwrap } from '../../../api/client.ts'
import { Button, choices, Field, Form, Segments } from '../../../components/form-controls.tsx'
import { NameField, Rules } from '../../../components/credentials/credential-fields.tsx'
import { checkPassword, isAcceptable } from '../../../components/credentials/password-rules.ts'
import { Facts } from '../../../components/figures.tsx'
import { Action, SavedSwitch } from '../../../components/setting-controls.tsx'
import { Row, useSaving } from '../../../components/card.tsx'
import { fullMomentText } from '../../../format/times.ts'
import { t } from '../../../locales/translate.ts'
import { obstaclesFor, roleName, type Asker } from './permissions.ts'

interface AccountDetailProps {
  account: Account
  asker: Asker
  onGone: () => void
}

/** One account with its actions; disabled ones give their reason. */
export function AccountDetail({ account, asker, onGone }: AccountDetailProps) {
  const { save, isBusy } = useSaving()
  const obstacles = obstaclesFor(account, asker)
  const one = api.accounts({ id: account.id })
  const name = account.username
  const setRole = (role: 'admin' | 'user') => unwrap(one.role.put({ role }))
  return (
    <>
      <Facts
        facts={[
          [t('accounts.role'), roleName(account)],
          [t('accounts.created'), fullMomentText(new Date(account.createdAtUtc))],
          [
            t('accounts.lastSignIn'),
            account.lastLoginAtUtc === null
              ? t('accounts.never')
              : fullMomentText(new Date(account.lastLoginAtUtc)),
          ],
        ]}
      />
      {obstacles.change === null ? (
        <Row
          title={t('accounts.enabled')}
          note={t(obstacles.disable ?? (account.isDisabled ? 'accounts.off' : 'accounts.on'))}
        >
          <SavedSwitch
            value={!account.isDisabled}
            write={(isOn) => unwrap(one.disabled.put({ disabled: !isOn }))}
            saved={(isOn) => t(isOn ? 'accounts.wasEnabled' : 'accounts.wasDisabled', { name })}
            disabled={obstacles.disable !== null}
          />
        </Row>
      ) : (
        <p className="rounded-control bg-raise px-3.5 py-2.5 text-[13px]">{t(obstacles.change)}</p>
      )}
      {obstacles.change === null && (
        <>
          <Row title={t('accounts.role')} note={t(obstacles.role ?? 'accounts.roleEnds')}>
            <Segments
              value={account.role === 'admin' ? 'admin' : 'user'}
              options={choices({ user: 'role.user', admin: 'role.admin' })}
              disabled={isBusy || obstacles.role !== null}
              onChange={(role) =>
                save({
                  run: () => setRole(role),
                  done: t(role === 'admin' ? 'accounts.promoted' : 'accounts.demoted', { name }),
                  // Only the owner can promote, so others get no undo.
                  ...(role === 'user' && !asker.isOwner
                    ? {}
                    : { undo: () => setRole(role === 'admin' ? 'user' : 'admin') }),
                })
              }
            />
          </Row>
          <NameForm account={account} />
          <PasswordForm account={account} />
          <Row title={t('accounts.delete')} note={t(obstacles.remove ?? 'accounts.deleteNote')}>
            <Action
              label={t('accounts.delete')}
              consequence={t('accounts.deleteConsequence', { name })}
              run={() => unwrap(one.delete())}
              done={t('accounts.deleted', { name })}
              after={onGone}
              disabled={obstacles.remove !== null}
            />
          </Row>
        </>
      )}
    </>
  )
}

function NameForm({ account }: { account: Account }) {
  const { change, isBusy } = useSaving()
  const [username, setUsername] = useState(account.username)
  const wanted = username.trim()
  const rename = (name: string) => unwrap(api.accounts({ id: account.id }).put({ username: name }))
  const submit = () =>
    change(rename, [wanted, account.username], t('accounts.renamed', { name: wanted }))
  return (
    <Form onSubmit={submit} className="flex items-start gap-2 border-b border-line py-3">
      <div className="flex-1">
        <NameField isOther value={username} onChange={({ target }) => setUsername(target.value)} />
      </div>
      <Button
        type="submit"
        className="mt-[25px] h-[38px]"
        disabled={isBusy || wanted === '' || wanted === account.username}
      >
        {t('action.rename')}
      </Button>
    </Form>
  )
}

function PasswordForm({ account }: { account: Account }) {
  const { save, isBusy } = useSaving()
  const [password, setPassword] = useState('')
  const rules = checkPassword(password, account.username)
  const submit = () => {
    const body = { username: account.username, password }
    save({
      run: () => unwrap(api.accounts({ id: account.id }).put(body)),
      done: t('accounts.passwordSet', { name: account.username }),
      after: () => setPassword(''),
    })
  }
  return (
    <Form onSubmit={submit} className="border-b border-line py-3">
      <Field
        label={t('accounts.newPassword')}
        name="account-password"
        type="password"
        autoComplete="new-password"
        value={password}
        onChange={({ target }) => setPassword(target.value)}
        hint={password === '' ? t('accounts.passwordEnds') : <Rules rules={rules} />}
      />
      {password !== '' && (
        <Button type="submit" className="mt-3 h-[38px]" disabled={isBusy || !isAcceptable(rules)}>
          {t('accounts.setPassword')}
        </Button>
      )}
    </Form>
  )
}
