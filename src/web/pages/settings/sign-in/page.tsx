import { useState } from 'react'
import { api, unwrap, keys } from '../../../api/client.ts'
import { useOidcSettings, type OidcProvider, type OidcSettings } from '../../../api/oidc.ts'
import { refusalText } from '../../../api/refusal-text.ts'
import { useSave } from '../../../app/use-save.ts'
import {
  Button,
  Field,
  useTexts,
  verbatim,
  Form,
  Switch,
} from '../../../components/form-controls.tsx'
import { Card, Pending, Row, StateLine } from '../../../components/card.tsx'
import { CopyField } from '../../../components/copy-field.tsx'
import { Action } from '../../../components/setting-controls.tsx'
import { t } from '../../../locales/translate.ts'
import { SettingsPage } from '../settings-page.tsx'

/** The provider whose accounts may sign in (OpenID Connect), for the owner. */
export function Page() {
  const { data, error } = useOidcSettings()
  return (
    <SettingsPage title={t('settings.sign-in')}>
      <Card title={t('oidc.title')} note={t('oidc.note')}>
        {data === undefined && <Pending error={error} rows={8} />}
        {data !== undefined && <ProviderForm key={JSON.stringify(data.provider)} settings={data} />}
      </Card>
    </SettingsPage>
  )
}

const standard: OidcProvider = {
  issuer: '',
  clientId: '',
  label: '',
  scopes: 'profile email groups',
  roleClaim: '',
  adminValues: [],
  userValues: [],
  createsAccounts: false,
  linksByName: false,
  publicUrl: '',
}

const listOf = (text: string): string[] =>
  text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')

/** What is typed and switched on; lists as texts, until they are saved. */
function useDraft({ provider }: OidcSettings) {
  const stored = provider ?? standard
  const [flags, setFlags] = useState({
    createsAccounts: stored.createsAccounts,
    linksByName: stored.linksByName,
  })
  const { texts, bind } = useTexts({
    issuer: stored.issuer,
    clientId: stored.clientId,
    label: stored.label,
    scopes: stored.scopes,
    roleClaim: stored.roleClaim,
    publicUrl: stored.publicUrl,
    secret: '',
    admins: stored.adminValues.join(', '),
    users: stored.userValues.join(', '),
  })
  const { secret, admins, users, ...named } = texts
  const body = {
    ...named,
    ...flags,
    issuer: texts.issuer.trim(),
    clientId: texts.clientId.trim(),
    publicUrl: texts.publicUrl.trim().replace(/\/+$/, ''),
    adminValues: listOf(admins),
    userValues: listOf(users),
    ...(secret !== '' && { clientSecret: secret }),
  }
  return { texts, bind, flags, setFlags, body }
}
type Draft = ReturnType<typeof useDraft>

function ProviderForm({ settings }: { settings: OidcSettings }) {
  const saving = useSave({ stale: [keys.oidc] })
  const draft = useDraft(settings)
  const { body } = draft
  const isOn = settings.provider !== null
  const isComplete = body.issuer !== '' && body.clientId !== ''
  const save = () =>
    saving.save({ run: () => unwrap(api.ext.oidc.settings.put(body)), done: t('prefs.saved') })
  return (
    <>
      <Row title={t('oidc.redirect')} note={t('oidc.redirectNote')}>
        <div className="w-[min(420px,80vw)]">
          <CopyField label={t('oidc.redirect')} value={settings.redirectUri} />
        </div>
      </Row>
      <Form onSubmit={save} className="mt-4 grid gap-4 sm:grid-cols-2">
        <ClientFields draft={draft} hasSecret={settings.hasSecret} />
        <RoleFields draft={draft} />
        <div className="flex flex-wrap gap-2 sm:col-span-2">
          <Button type="submit" className="primary" disabled={saving.isBusy || !isComplete}>
            {t('oidc.save')}
          </Button>
          <Test body={body} disabled={!isComplete} />
          {isOn && (
            <Action
              label={t('oidc.off')}
              consequence={t('oidc.offConsequence')}
              run={() => unwrap(api.ext.oidc.settings.delete())}
              saving={saving}
            />
          )}
        </div>
      </Form>
    </>
  )
}

/** Asks the provider for its metadata, before anybody depends on it. */
function Test({ body, disabled }: { body: Draft['body']; disabled: boolean }) {
  const [result, setResult] = useState<{ isGood: boolean; text: string } | null>(null)
  const [isBusy, setIsBusy] = useState(false)
  const test = async () => {
    setIsBusy(true)
    const answer = unwrap(api.ext.oidc.test.post(body))
    setResult(
      await answer.then(
        ({ issuer }) => ({ isGood: true, text: t('oidc.tested', { issuer }) }),
        (error: Error) => ({ isGood: false, text: refusalText(error) }),
      ),
    )
    setIsBusy(false)
  }
  return (
    <>
      <Button disabled={isBusy || disabled} onClick={() => void test()}>
        {t('oidc.test')}
      </Button>
      <div role="status" className="order-last min-h-5 basis-full text-small">
        {result !== null && (
          <StateLine tone={result.isGood ? 'good' : 'bad'}>{result.text}</StateLine>
        )}
      </div>
    </>
  )
}

function ClientFields({ draft, hasSecret }: { draft: Draft; hasSecret: boolean }) {
  const { bind } = draft
  return (
    <>
      <Field
        label={t('oidc.issuer')}
        hint={t('oidc.issuerHint')}
        placeholder="https://auth.home.arpa"
        type="url"
        required
        {...verbatim}
        {...bind('issuer')}
      />
      <Field label={t('oidc.label')} hint={t('oidc.labelHint')} maxLength={60} {...bind('label')} />
      <Field label={t('oidc.clientId')} required {...verbatim} {...bind('clientId')} />
      <Field
        label={t('oidc.secret')}
        type="password"
        autoComplete="new-password"
        placeholder={hasSecret ? t('oidc.stored') : undefined}
        hint={hasSecret ? t('oidc.storedHint') : t('oidc.secretHint')}
        {...bind('secret')}
      />
      <Field label={t('oidc.scopes')} {...verbatim} {...bind('scopes')} />
      <Field
        label={t('oidc.publicUrl')}
        hint={t('oidc.publicUrlHint')}
        placeholder="https://larder.home.arpa"
        type="url"
        {...verbatim}
        {...bind('publicUrl')}
      />
    </>
  )
}

function RoleFields({ draft }: { draft: Draft }) {
  const { texts, bind, flags, setFlags } = draft
  const hasNoClaim = texts.roleClaim === ''
  return (
    <>
      <Field
        label={t('oidc.roleClaim')}
        hint={t('oidc.roleClaimHint')}
        placeholder="groups"
        {...verbatim}
        {...bind('roleClaim')}
      />
      <Field
        label={t('oidc.admins')}
        hint={t('oidc.listHint')}
        {...verbatim}
        disabled={hasNoClaim}
        {...bind('admins')}
      />
      <Field
        label={t('oidc.users')}
        hint={t('oidc.usersHint')}
        {...verbatim}
        disabled={hasNoClaim}
        {...bind('users')}
      />
      <div className="sm:col-span-2">
        <Row title={t('oidc.creates')} note={t('oidc.createsNote')}>
          <Switch
            isOn={flags.createsAccounts}
            onChange={(createsAccounts) => setFlags({ ...flags, createsAccounts })}
          />
        </Row>
        <Row title={t('oidc.byName')} note={t('oidc.byNameNote')}>
          <Switch
            isOn={flags.linksByName}
            onChange={(linksByName) => setFlags({ ...flags, linksByName })}
          />
        </Row>
      </div>
    </>
  )
}
