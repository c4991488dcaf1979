import { Link } from '@tanstack/react-router'
import { t } from '../locales/translate.ts'

/** To the one list of schedules, and there to that of this service. */
export const ScheduleLink = ({ of }: { of: string }) => (
  <Link to="/settings/schedules" hash={of} className="control">
    {t('schedules.change')}
  </Link>
)
