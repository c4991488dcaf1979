import { useLaterRemovals } from '../../../api/cache-queries.ts'
import { api, unwrap, keys } from '../../../api/client.ts'
import { operationName } from '../../../app/operation-name.ts'
import { useNow } from '../../../app/clock.ts'
import { Card, Row } from '../../../components/card.tsx'
import { sinceText } from '../../../format/times.ts'
import { t } from '../../../locales/translate.ts'
import { Action } from '../../../components/setting-controls.tsx'

/** Removals of which a cache server has yet to do its part; renders nothing without any. */
export function LaterCard() {
  const { data = [] } = useLaterRemovals()
  const now = useNow(30_000)
  if (data.length === 0) return null
  return (
    <Card title={t('later.title')} className="mb-3.5" stale={[keys.cache]}>
      {data.map((removal) => {
        const { id, node, requestedAtUtc, operationId, problem } = removal
        const requested = t('later.requested', { ago: sinceText(new Date(requestedAtUtc), now) })
        return (
          <Row
            key={id}
            title={operationName(removal)}
            note={[requested, ...(problem === null ? [] : [problem])].join(' · ')}
          >
            <Action
              label={t('later.drop')}
              run={() => unwrap(api.ext.cache.removals.later({ id }).delete())}
              done={t('later.dropped', { node })}
              disabled={operationId !== null}
            />
          </Row>
        )
      })}
    </Card>
  )
}
