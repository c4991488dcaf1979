import type { SessionDto } from '../../../api/access-queries.ts'
import { api, unwrap } from '../../../api/eden.ts'
import { keys } from '../../../api/keys.ts'
import { Confirm } from '../../../components/setting.tsx'
import { say } from '../../../components/toast.tsx'
import { t, tn } from '../../../locales/translate.ts'
import { useSave } from '../../../app/use-save.ts'

/** Actions on many sessions at once. */
export function BulkActions({
  sessions,
  guests,
}: {
  sessions: readonly SessionDto[]
  guests: number
}) {
  const { save, isBusy } = useSave({ stale: [keys.sessions] })
  const others = sessions.filter(({ isCurrentSession }) => !isCurrentSession)
  const endOthers = async () => {
    for (const { id } of others) await unwrap(api.sessions({ id }).revoke.patch())
    say(tn('sessions.endedCount', others.length))
  }
  const clearGuests = async () => {
    const { clearedCount } = await unwrap(api.sessions.bulk['clear-guests'].delete())
    say(tn('sessions.endedCount', clearedCount))
  }
  const resetGuests = async () => {
    const { affectedCount } = await unwrap(api.sessions.bulk['reset-to-defaults'].post())
    say(tn('sessions.resetCount', affectedCount))
  }
  return (
    <div className="flex flex-wrap gap-2">
      <Confirm
        label={t('sessions.endOthers')}
        consequence={tn('sessions.endOthersConsequence', others.length)}
        isBusy={isBusy}
        disabled={others.length === 0}
        onConfirm={() => save({ run: endOthers })}
      />
      <Confirm
        label={t('sessions.clearGuests')}
        consequence={tn('sessions.clearGuestsConsequence', guests)}
        isBusy={isBusy}
        disabled={guests === 0}
        onConfirm={() => save({ run: clearGuests })}
      />
      <Confirm
        label={t('sessions.resetGuests')}
        consequence={t('sessions.resetGuestsConsequence')}
        isBusy={isBusy}
        disabled={guests === 0}
        onConfirm={() => save({ run: resetGuests })}
      />
    </div>
  )
}
