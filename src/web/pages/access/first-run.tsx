import { useMutation, useQueryClient } from '@tanstack/react-query'
import { RotateCw } from 'lucide-react'
import { useState } from 'react'
import type { Platform } from '../../../platforms/platforms.ts'
import { api, unwrap } from '../../api/eden.ts'
import { keys } from '../../api/keys.ts'
import { useChecklist } from '../../api/queries.ts'
import type { SetupChecklist } from '../../api/wire.ts'
import { Button } from '../../components/button.tsx'
import { Pending } from '../../components/notice.tsx'
import { Problem } from '../../components/problem.tsx'
import { t } from '../../locales/translate.ts'
import { CheckLines } from './checklist.tsx'
import { isStarting, questionOf, waitsForLog } from './checks.ts'
import { Frame } from './frame.tsx'
import { KeepReady, keepReady } from './keep-ready.tsx'

const repeatedMs = 3000

type Choice = 'beginning' | 'end' | null

interface Answers {
  choice: Choice
  chosen: readonly Platform[]
}

/** Stores the answers, then completes the set-up: only then are logs read. */
async function complete({ choice, chosen }: Answers): Promise<void> {
  await keepReady(chosen)
  if (choice !== null) {
    await unwrap(api.logs.position.patch({ position: choice === 'beginning' ? 0 : null }))
  }
  await unwrap(api.system.setup.patch({ completed: true }))
  // Reading has begun; as an operation it shows its progress.
  if (choice === 'beginning') await unwrap(api.logs.process.post())
}

interface QuestionProps {
  checklist: SetupChecklist
  isBusy: boolean
  onChoice: (choice: Choice) => void
}

function Question({ checklist, isBusy, onChoice }: QuestionProps) {
  const question = questionOf(checklist)
  const isWaiting = waitsForLog(checklist)
  if (question === 'none') {
    return (
      <Button className="primary w-full" disabled={isBusy} onClick={() => onChoice(null)}>
        {t('firstRun.continue')}
      </Button>
    )
  }
  const isDisabled = isBusy || question === 'later'
  return (
    <div className="grid gap-x-3 gap-y-4 sm:grid-cols-2">
      <div>
        <Button
          className="primary w-full"
          disabled={isDisabled || isWaiting}
          onClick={() => onChoice('beginning')}
        >
          {t('firstRun.readAll')}
        </Button>
        <p className="mt-1.5 text-small text-dim">
          {t(isWaiting ? 'firstRun.waitsForLog' : 'firstRun.readAllHint')}
        </p>
      </div>
      <div>
        <Button
          className="h-[38px] w-full justify-center"
          disabled={isDisabled}
          onClick={() => onChoice('end')}
        >
          {t('firstRun.fromNow')}
        </Button>
        <p className="mt-1.5 text-small text-dim">{t('firstRun.fromNowHint')}</p>
      </div>
    </div>
  )
}

/** Shows what Larder found, with remedies; asks what to keep ready, and where to start reading. */
export function Page() {
  const queries = useQueryClient()
  const [chosen, setChosen] = useState<readonly Platform[]>([])
  const checklist = useChecklist({
    refetchInterval: ({ state }) =>
      state.data !== undefined && (isStarting(state.data) || waitsForLog(state.data))
        ? repeatedMs
        : false,
  })
  const finish = useMutation({
    mutationFn: complete,
    onSettled: async () => {
      await queries.refetchQueries({ queryKey: keys.setup })
      await queries.invalidateQueries()
    },
  })
  const { data, error, isFetching } = checklist
  return (
    <Frame title={t('firstRun.title')} lead={t('firstRun.lead')} isWide>
      {data === undefined ? (
        <Pending error={error} rows={4} />
      ) : (
        <>
          <CheckLines {...data} />
          <Button className="mt-3" disabled={isFetching} onClick={() => void checklist.refetch()}>
            <RotateCw size={14} />
            {t(isFetching ? 'firstRun.checking' : 'firstRun.checkAgain')}
          </Button>
          <KeepReady chosen={chosen} onChange={setChosen} />
          <Problem error={error ?? finish.error} className="mt-3" />
          <div className="mt-5 border-t border-line pt-5">
            <Question
              checklist={data}
              isBusy={finish.isPending}
              onChoice={(choice) => finish.mutate({ choice, chosen })}
            />
          </div>
        </>
      )}
    </Frame>
  )
}
