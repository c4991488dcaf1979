import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { Button, Form, useTexts } from '../../components/form-controls.tsx'
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
import { refusalText } from '../../api/refusal-text.ts'

const onHost = 'bun run recover'
const inContainer = 'docker exec larder bun run recover'

const problemText = (error: Error): string =>
  error instanceof Refusal && error.status === 400 ? t('recover.fields') : refusalText(error)

/** Sets a new owner password after recovery was opened on the machine. */
export function Page() {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const { texts, bind } = useTexts({ apiKey: '', username: '', password: '' })
  const { apiKey, username, password } = texts
  const rules = checkPassword(password, username)
  const name = username.trim()
  const recover = useMutation({
    mutationFn: () => {
      const body = { apiKey: apiKey.trim(), username: name, password }
      return unwrap(api['account-setup']['recover-main-admin'].post(body))
    },
    onSuccess: async () => {
      // This browser's session may have been the owner's.
      await queries.refetchQueries({ queryKey: keys.status })
      await navigate({ to: '/sign-in', state: { recoveredName: name } })
    },
  })
  const submit = () => recover.mutate()
  const fields = recover.error instanceof Refusal ? recover.error.fields : {}
  const isComplete = apiKey.trim() !== '' && name !== '' && isAcceptable(rules)
  return (
    <Frame title={t('recover.title')} lead={t('recover.lead')}>
      <Steps />
      <Form onSubmit={submit} className="space-y-4">
        <KeyField {...bind('apiKey')} />
        <NameField label={t('recover.owner')} {...bind('username')} problem={fields['username']} />
        <NewPasswordField
          label={t('accounts.newPassword')}
          rules={rules}
          {...bind('password')}
          problem={fields['password']}
        />
        {recover.error !== null && (
          <p role="alert" className="text-small text-bad">
            {problemText(recover.error)}
          </p>
        )}
        <Button
          type="submit"
          disabled={recover.isPending || !isComplete}
          className="primary w-full"
        >
          {t(recover.isPending ? 'recover.busy' : 'recover.set')}
        </Button>
      </Form>
      <p className="mt-5 text-center text-small">
        <Link to="/sign-in" className="text-dim hover:text-text">
          {t('recover.back')}
        </Link>
      </p>
    </Frame>
  )
}

/** Recovery is not possible remotely: it is opened on the machine itself. */
const Steps = () => (
  <ol className="mb-5 list-decimal space-y-2 rounded-control bg-raise py-3 pr-3.5 pl-8 text-[13px]">
    <li className="space-y-1">
      <p>{t('recover.stepHost')}</p>
      <Command text={onHost} />
      <p className="text-dim">{t('recover.stepHostContainer')}</p>
      <Command text={inContainer} />
    </li>
    <li>{t('recover.stepForm')}</li>
  </ol>
)

const Command = ({ text }: { text: string }) => (
  <code className="block rounded-control border border-line bg-bg px-2.5 py-1.5 text-[13px] break-words select-all">
    {text}
  </code>
)
