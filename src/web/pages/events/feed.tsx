import { api, unwrap, keys } from '../../api/client.ts'
import { useRead } from '../../api/queries.ts'
import { CopyField } from '../../components/copy-field.tsx'
import { Pending } from '../../components/notice.tsx'
import { Confirm } from '../../components/setting.tsx'
import { Button } from '../../components/form-controls.tsx'
import { dayText } from '../../format/times.ts'
import { t } from '../../locales/translate.ts'
import { useSave } from '../../app/use-save.ts'

const feedKey = [...keys.events, 'feed'] as const

/** The calendar feed's URL; it grants access to the events. */
export function Feed() {
  const { data, error } = useRead(feedKey, api.ext.events.feed.get)
  const { save, isBusy } = useSave({ stale: [feedKey] })
  if (data === undefined) return <Pending error={error} rows={3} />
  const make = (done: string) => save({ run: () => unwrap(api.ext.events.feed.post()), done })
  const { path, createdAtUtc } = data
  return (
    <div className="space-y-4">
      <p className="text-dim">{t('feed.lead')}</p>
      {path === null ? (
        <Button
          className="primary w-full"
          disabled={isBusy}
          onClick={() => make(t('feed.wasMade'))}
        >
          {t('feed.make')}
        </Button>
      ) : (
        <>
          <CopyField label={t('feed.address')} value={new URL(path, location.origin).href} />
          {createdAtUtc !== null && (
            <p className="text-small text-dim">
              {t('feed.since', { day: dayText(new Date(createdAtUtc)) })}
            </p>
          )}
          <div className="flex flex-wrap gap-2">
            <a className="control" href={path.replace(/\?.*$/, '')} download="events.ics">
              {t('feed.file')}
            </a>
            <Confirm
              label={t('feed.renew')}
              consequence={t('feed.renewConsequence')}
              isBusy={isBusy}
              onConfirm={() => make(t('feed.wasRenewed'))}
            />
            <Confirm
              label={t('feed.close')}
              consequence={t('feed.closeConsequence')}
              isBusy={isBusy}
              onConfirm={() =>
                save({ run: () => unwrap(api.ext.events.feed.delete()), done: t('feed.wasClosed') })
              }
            />
          </div>
        </>
      )}
    </div>
  )
}
