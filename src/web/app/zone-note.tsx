import { usePreferences } from '../api/access-queries.ts'
import { useConfig } from '../api/queries.ts'
import { t } from '../locales/translate.ts'
import { foreignZone } from './preferences.ts'

/** The zone of all times, when it is not the server's. */
export function ZoneNote() {
  const preferences = usePreferences().data
  const serverZone = useConfig().data?.timeZone || null
  const zone = preferences === undefined ? null : foreignZone(preferences, serverZone)
  if (zone === null) return null
  return (
    <p
      className="px-2.5 pb-2 text-tiny text-dim"
      title={t('shell.zoneHint', { zone: serverZone ?? '' })}
    >
      {t('shell.zone', { zone: zone.replaceAll('_', ' ') })}
    </p>
  )
}
