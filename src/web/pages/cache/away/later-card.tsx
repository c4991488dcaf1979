import { useLaterRemovals } from '../../../api/cache-queries.ts'
import { api, unwrap, keys } from '../../../api/client.ts'
import { operationName } from '../../../app/operation-name.ts'
import { useNow } from '../../../app/use-now.ts'
import { useSave } from '../../../app/use-save.ts'
import { Button } from '../../../components/form-controls.tsx'
import { Card } from '../../../components/card.tsx'
import { Row } from '../../../components/setting.tsx'
import { sinceText } from '../../../format/since.ts'
import { t } from '../../../locales/translate.ts'

/** Removals of which a cache server has yet to do its part; renders nothing without any. */
export function LaterCard() {
  const { data = [] } = useLaterRemovals()
  const now = useNow(30_000)
  const { save, isBusy } = useSave({ stale: [[...keys.cache]] })
  if (data.length === 0) return null
  return (
    <Card title={t('later.title')} className="mb-3.5">
      {data.map((removal) => {
        const { id, node, requestedAtUtc, operationId, problem } = removal
        const requested = t('later.requested', { ago: sinceText(new Date(requestedAtUtc), now) })
        return (
          <Row
            key={id}
            title={operationName(removal)}
            note={[requested, ...(problem === null ? [] : [problem])].join(' · ')}
          >
            <Button
              disabled={isBusy || operationId !== null}
              onClick={() =>
                save({
                  run: () => unwrap(api.ext.cache.removals.later({ id }).delete()),
                  done: t('later.dropped', { node }),
                })
              }
            >
              {t('later.drop')}
            </Button>
          </Row>
        )
      })}
    </Card>
  )
}
