import { Link } from '@tanstack/react-router'
import { t } from '../../../locales/translate.ts'

/** To the one place where intervals are set. */
export const ScheduleLink = () => (
  <Link to="/settings/schedules" className="control">
    {t('schedules.change')}
  </Link>
)
