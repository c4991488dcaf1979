import { Link } from '@tanstack/react-router'
import { Row } from '../../../components/card.tsx'
import { t } from '../../../locales/translate.ts'

/** Leads from the pages that use accounts to the one that lists them. */
export const AccountsLink = ({ note }: { note: string }) => (
  <Row title={t('settings.platform-accounts')} note={note}>
    <Link to="/settings/platform-accounts" className="control">
      {t('platformAccounts.open')}
    </Link>
  </Row>
)
