import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { keys } from '../../api/client.ts'
import { Button } from '../form-controls.tsx'
import { Problem, StateLine } from '../card.tsx'
import { notify } from '../toast.tsx'
import { t } from '../../locales/translate.ts'
import { platformFacts, type Platform } from '../../../platforms/platforms.ts'
import { ChallengeForm } from './challenge-form.tsx'
import {
  answerChallenge,
  cancelLogin,
  isLoggedIn,
  loginAccount,
  nextChallenge,
  type LoginStep,
} from '../../api/account-queries.ts'

interface AccountLoginProps {
  platform: Platform
  /** The account's. */
  id: string
  onDone: () => void
}

/** The sign-in of an account, asked for step by step. */
export function AccountLogin({ platform, id, onDone }: AccountLoginProps) {
  const queries = useQueryClient()
  const queryKey = [...keys.prefill, 'login', id]
  /** Of the last challenge that was answered. */
  const [answeredId, setAnsweredId] = useState('')
  const started = useQuery({
    queryKey,
    queryFn: () => loginAccount(id),
    staleTime: Infinity,
    gcTime: 0,
    retry: false,
  })
  const next = useQuery({
    queryKey: [...queryKey, 'next'],
    queryFn: () => nextChallenge(id),
    enabled: started.data !== undefined && !isLoggedIn(started.data),
    // The call itself waits on the server.
    refetchInterval: 1000,
    gcTime: 0,
    retry: false,
  })
  const answered = useMutation({
    mutationFn: (answer: Parameters<typeof answerChallenge>[1]) => answerChallenge(id, answer),
    onMutate: ({ challenge }) => setAnsweredId(challenge.challengeId),
    onError: () => setAnsweredId(''),
    onSuccess: () => queries.invalidateQueries({ queryKey: [...queryKey, 'next'] }),
  })
  const cancel = useMutation({
    mutationFn: () => cancelLogin(id),
    onSettled: onDone,
  })
  const step: LoginStep | null = next.data ?? started.data ?? null
  const isOver = step !== null && isLoggedIn(step)
  const challenge = step === null || isLoggedIn(step) ? null : step
  const isAnswered = challenge !== null && challenge.challengeId === answeredId
  const isOnPhone = challenge?.credentialType === 'device-confirmation'
  const { mutate } = answered
  useEffect(() => {
    // The daemon waits for this before it asks the platform.
    if (isOnPhone && challenge !== null && !isAnswered) mutate({ challenge, credential: 'confirm' })
  }, [challenge, isOnPhone, isAnswered, mutate])
  useEffect(() => {
    if (!isOver) return
    notify(t('prefill.signedIn', { platform: platformFacts[platform].title }))
    onDone()
    void queries.invalidateQueries({ queryKey: keys.prefill })
  }, [isOver, onDone, platform, queries])
  return (
    <div className="border-b border-line py-3">
      {challenge !== null && (isOnPhone || !isAnswered) ? (
        <ChallengeForm
          key={challenge.challengeId}
          challenge={challenge}
          isBusy={answered.isPending || cancel.isPending}
          onAnswer={(credential) => mutate({ challenge, credential })}
          onCancel={() => cancel.mutate()}
        />
      ) : (
        <div className="flex flex-wrap items-center gap-3">
          {started.error === null && (
            <p role="status">
              <StateLine tone="good">{t('prefill.signingIn')}</StateLine>
            </p>
          )}
          <Button onClick={() => (started.error === null ? cancel.mutate() : onDone())}>
            {t(started.error === null ? 'action.cancel' : 'action.close')}
          </Button>
        </div>
      )}
      <Problem error={started.error ?? answered.error ?? next.error} className="mt-2" />
    </div>
  )
}
