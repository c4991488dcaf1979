import { getRouteApi } from '@tanstack/react-router'
import { useIsAccount, useOperations } from '../../api/queries.ts'
import { OperationCard } from '../../app/operation-card.tsx'
import { operationName } from '../../app/operation-name.ts'
import { PageFrame } from '../../app/page-frame.tsx'
import { Notice, Pending } from '../../components/card.tsx'
import { fullMomentText } from '../../format/times.ts'
import { t } from '../../locales/translate.ts'

const route = getRouteApi('/operations/$id')

/** One job with its own URL, to keep open or share. */
export function Page() {
  const { id } = route.useParams()
  const isAccount = useIsAccount()
  const { data, error } = useOperations()
  const all = [...(data?.running ?? []), ...(data?.waiting ?? []), ...(data?.recent ?? [])]
  const operation = all.find((known) => known.id === id)
  const moments = [
    { name: t('operations.created'), at: operation?.createdAt },
    { name: t('operations.started'), at: operation?.startedAt },
    { name: t('operations.finished'), at: operation?.finishedAt },
  ]
  return (
    <PageFrame
      title={operation === undefined ? t('operations.one') : operationName(operation)}
      back={{ to: '/operations', label: t('nav.operations') }}
    >
      {operation !== undefined ? (
        <>
          <OperationCard operation={operation} />
          <dl className="card mt-3 grid gap-x-8 gap-y-3 p-5 sm:grid-cols-3">
            {moments.map(
              ({ name, at }) =>
                typeof at === 'string' && (
                  <div key={name}>
                    <dt className="text-small text-dim">{name}</dt>
                    <dd className="figure">{fullMomentText(new Date(at))}</dd>
                  </div>
                ),
            )}
          </dl>
        </>
      ) : (
        <div className="card p-5">
          {!isAccount ? (
            <Notice title={t('trouble.forbidden')} className="py-16">
              {t('trouble.forbiddenText')}
            </Notice>
          ) : data !== undefined ? (
            <Notice title={t('operations.gone')} className="py-16">
              {t('operations.goneText')}
            </Notice>
          ) : (
            <Pending error={error} rows={2} />
          )}
        </div>
      )}
    </PageFrame>
  )
}
