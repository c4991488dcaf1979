import { useIsAccount } from '../../api/queries.ts'
import { OperationsList } from '../../app/operations.tsx'
import { PageFrame } from '../../app/page-frame.tsx'
import { Forbidden } from '../../components/card.tsx'
import { t } from '../../locales/translate.ts'

/** All running, queued and recent jobs. */
export function Page() {
  const isAccount = useIsAccount()
  return (
    <PageFrame title={t('nav.operations')}>
      {isAccount ? <OperationsList /> : <Forbidden />}
    </PageFrame>
  )
}
