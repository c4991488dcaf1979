import { useOpen } from '../../../app/use-address.ts'
import { UserPlus } from 'lucide-react'
import { useState } from 'react'
import { useAccounts, type Account } from '../../../api/access-queries.ts'
import { api, unwrap, keys } from '../../../api/client.ts'
import { useStatus } from '../../../api/queries.ts'
import { useNow } from '../../../app/clock.ts'
import { useSave } from '../../../app/use-save.ts'
import { Button, Form, Segments, useTexts } from '../../../components/form-controls.tsx'
import { Card, Notice, Pending, Problem, Saves, Row } from '../../../components/card.tsx'
import { NameField, NewPasswordField } from '../../../components/credentials/credential-fields.tsx'
import { checkPassword, isAcceptable } from '../../../components/credentials/password-rules.ts'
import { DataList, type Column } from '../../../components/data-list.tsx'
import { Dot, Time } from '../../../components/figures.tsx'
import { Action } from '../../../components/setting-controls.tsx'
import { SidePanel } from '../../../components/side-panel.tsx'
import { agoText } from '../../../format/times.ts'
import { t } from '../../../locales/translate.ts'
import { SettingsPage } from '../settings-page.tsx'
import { AccountDetail } from './detail.tsx'
import { roleName } from './permissions.ts'

function columnsOf(now: Date, ownId: string | null): Column<Account>[] {
  return [
    {
      header: t('accounts.name'),
      width: 'minmax(0,2fr)',
      cell: (account) => (
        <>
          <span className="block truncate font-medium">
            {account.username}
            {account.id === ownId && (
              <span className="font-normal text-dim"> · {t('accounts.you')}</span>
            )}
          </span>
          <span className="block truncate text-small text-dim">{roleName(account)}</span>
        </>
      ),
    },
    {
      header: t('accounts.state'),
      width: '110px',
      cell: ({ isDisabled }) => (
        <span className="flex items-center gap-2 text-dim">
          <Dot tone={isDisabled ? 'quiet' : 'good'} />
          {t(isDisabled ? 'accounts.disabled' : 'accounts.enabled')}
        </span>
      ),
    },
    {
      header: t('accounts.created'),
      width: '100px',
      align: 'end',
      from: 'md',
      cell: ({ createdAtUtc }) => (
        <Time at={createdAtUtc} now={now} text={agoText} className="text-dim" />
      ),
    },
    {
      header: t('accounts.lastSignIn'),
      width: '128px',
      align: 'end',
      from: 'sm',
      cell: ({ lastLoginAtUtc }) =>
        lastLoginAtUtc === null ? (
          <span className="text-dim">{t('accounts.never')}</span>
        ) : (
          <Time at={lastLoginAtUtc} now={now} text={agoText} className="text-dim" />
        ),
    },
  ]
}

/** Accounts and their roles. */
export function Page() {
  const { open, show } = useOpen()
  const { data, error } = useAccounts()
  const { data: status } = useStatus()
  const now = useNow(30_000)
  const shown = data?.find(({ id }) => id === open)
  const asker = { accountId: status?.accountId ?? null, isOwner: status?.isMainAdmin === true }
  const add = (
    <Button onClick={() => show('new')}>
      <UserPlus size={15} />
      {t('accounts.add')}
    </Button>
  )
  return (
    <SettingsPage title={t('settings.accounts')} tools={add}>
      <div className="card">
        {data === undefined && <Pending isList error={error} rows={4} />}
        {data !== undefined && data.length === 0 && (
          <Notice title={t('accounts.none')} action={add} className="py-12">
            {t('accounts.noneText')}
          </Notice>
        )}
        {data !== undefined && data.length > 0 && (
          <DataList
            label={t('settings.accounts')}
            columns={columnsOf(now, asker.accountId)}
            rows={data}
            rowKey={({ id }) => id}
            onOpen={({ id }) => show(id)}
          />
        )}
      </div>
      {asker.isOwner && asker.accountId !== null && <Wipe />}
      <SidePanel
        isInAddress
        title={open === 'new' ? t('accounts.add') : (shown?.username ?? t('settings.accounts'))}
        isOpen={open !== undefined}
        onClose={() => show(undefined)}
      >
        {open === 'new' && <NewAccount isOwner={asker.isOwner} onDone={() => show(undefined)} />}
        {open !== 'new' && shown !== undefined && (
          <Saves key={shown.id} stale={[keys.accounts, keys.sessions]}>
            <AccountDetail account={shown} asker={asker} onGone={() => show(undefined)} />
          </Saves>
        )}
        {open !== undefined && open !== 'new' && data !== undefined && shown === undefined && (
          <Notice title={t('refused.accounts-notFound')} />
        )}
      </SidePanel>
    </SettingsPage>
  )
}

/** Deletes all accounts: the owner's last resort. */
const Wipe = () => (
  <Card stale={[keys.status, keys.setup]} title={t('accounts.wipeTitle')}>
    <Row title={t('accounts.wipeName')} note={t('accounts.wipeNote')}>
      <Action
        label={t('accounts.wipe')}
        consequence={t('accounts.wipeConsequence')}
        run={() => unwrap(api.accounts.wipe.post())}
      />
    </Row>
  </Card>
)

function NewAccount({ isOwner, onDone }: { isOwner: boolean; onDone: () => void }) {
  const { save, isBusy, error } = useSave({ stale: [keys.accounts], showsError: true })
  const { texts, bind } = useTexts({ username: '', password: '' })
  const { username, password } = texts
  const [role, setRole] = useState<'user' | 'admin'>('user')
  const rules = checkPassword(password, username)
  const name = username.trim()
  const submit = () =>
    save({
      run: () => unwrap(api.accounts.post({ username: name, password, role })),
      done: t('accounts.wasCreated', { name }),
      after: onDone,
    })
  return (
    <Form onSubmit={submit} className="space-y-4">
      <NameField isOther autoFocus {...bind('username')} />
      <NewPasswordField label={t('access.password')} rules={rules} {...bind('password')} />
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
          {t(isOwner ? 'accounts.roleHint' : 'refused.accounts-adminRoleRequiresMainAdmin')}
        </p>
      </div>
      <Problem error={error} />
      <Button
        type="submit"
        className="primary w-full"
        disabled={isBusy || name === '' || !isAcceptable(rules)}
      >
        {t('accounts.add')}
      </Button>
    </Form>
  )
}
