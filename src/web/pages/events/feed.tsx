import { api, unwrap, keys } from '../../api/client.ts'
import { useRead } from '../../api/queries.ts'
import { CopyField } from '../../components/copy-field.tsx'
import { Pending, Saves } from '../../components/card.tsx'
import { dayText } from '../../format/times.ts'
import { t } from '../../locales/translate.ts'
import { Action } from '../../components/setting-controls.tsx'

const feedKey = [...keys.events, 'feed'] as const

/** The calendar feed's URL; it grants access to the events. */
export function Feed() {
  const { data, error } = useRead(feedKey, api.ext.events.feed.get)
  if (data === undefined) return <Pending error={error} rows={3} />
  const make = () => unwrap(api.ext.events.feed.post())
  const { path, createdAtUtc } = data
  return (
    <Saves stale={[feedKey]}>
      <div className="space-y-4">
        <p className="text-dim">{t('feed.lead')}</p>
        {path === null ? (
          <Action
            className="primary w-full"
            label={t('feed.make')}
            run={make}
            done={t('feed.wasMade')}
          />
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
              <Action
                label={t('feed.renew')}
                consequence={t('feed.renewConsequence')}
                run={make}
                done={t('feed.wasRenewed')}
              />
              <Action
                label={t('feed.close')}
                consequence={t('feed.closeConsequence')}
                run={() => unwrap(api.ext.events.feed.delete())}
                done={t('feed.wasClosed')}
              />
            </div>
          </>
        )}
      </div>
    </Saves>
  )
}
