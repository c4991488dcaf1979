import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, unwrap } from '../../../api/eden.ts'
import { keys } from '../../../api/keys.ts'
import { Button } from '../../../components/button.tsx'
import { Field } from '../../../components/field.tsx'
import { Form } from '../../../components/form.tsx'
import { Problem } from '../../../components/problem.tsx'
import { say } from '../../../components/toast.tsx'
import { countText } from '../../../format/numbers.ts'
import { StatusLine } from '../../../components/status-line.tsx'
import { t } from '../../../locales/translate.ts'

/** A link to Epic's page, and a field for the code that it shows. */
export function BetaSignIn({ onDone }: { onDone: () => void }) {
  const queries = useQueryClient()
  const [code, setCode] = useState('')
  const link = useQuery({
    queryKey: [...keys.betaMappings, 'link'],
    queryFn: () => unwrap(api.beta['game-mappings'].auth.login.post()),
    staleTime: Infinity,
  })
  const signIn = useMutation({
    mutationFn: () =>
      unwrap(api.beta['game-mappings'].auth.complete.post({ authorizationCode: code.trim() })),
    onSuccess: async ({ gamesDiscovered }) => {
      say(t('beta.done', { count: countText(gamesDiscovered) }))
      onDone()
      await queries.invalidateQueries({ queryKey: keys.betaMappings })
    },
  })
  return (
    <Form onSubmit={() => signIn.mutate()} className="max-w-[520px] space-y-4 pt-4">
      <p className="text-[13px]">{t('beta.steps')}</p>
      <p>
        <a className="link" href={link.data?.authorizationUrl} target="_blank" rel="noreferrer">
          {t('beta.open')}
        </a>
      </p>
      <Field
        label={t('beta.code')}
        name="epic-code"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={500}
        required
        readOnly={signIn.isPending}
        value={code}
        onChange={({ target }) => setCode(target.value)}
        hint={t('beta.codeHint')}
      />
      <Problem error={signIn.error ?? link.error} />
      {signIn.isPending && (
        <StatusLine tone="good" pulsing>
          {t('beta.collecting')}
        </StatusLine>
      )}
      <div className="flex gap-2">
        <Button
          type="submit"
          className="primary px-5"
          disabled={signIn.isPending || code.trim() === ''}
        >
          {t('beta.send')}
        </Button>
        {!signIn.isPending && (
          <Button className="h-[38px]" onClick={onDone}>
            {t('action.cancel')}
          </Button>
        )}
      </div>
    </Form>
  )
}
