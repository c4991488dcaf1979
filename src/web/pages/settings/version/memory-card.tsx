import { api, unwrap } from '../../../api/eden.ts'
import { keys } from '../../../api/keys.ts'
import { useAccountRead, useRead } from '../../../api/queries.ts'
import { useSave } from '../../../app/use-save.ts'
import { Card } from '../../../components/card.tsx'
import { Facts } from '../../../components/facts.tsx'
import { Pending } from '../../../components/notice.tsx'
import { Action, NumberSetting, SwitchSetting } from '../../../components/setting-controls.tsx'
import { Row } from '../../../components/setting.tsx'
import { notify } from '../../../components/toast.tsx'
import { byteText, countText } from '../../../format/numbers.ts'
import { t, tn } from '../../../locales/translate.ts'

const thresholds = [512, 1024, 2048, 4096, 8192, 16_384]
const everyMs = 10_000
const mib = 1024 ** 2
const sizeText = (megabytes: number): string => byteText(megabytes * mib)

/** Memory of the processes, a collection now, and by schedule where the operator allows that. */
export function MemoryCard() {
  const { data, error } = useAccountRead([...keys.memory, 'use'], api.memory.get, {
    refetchInterval: everyMs,
  })
  const saving = useSave({ stale: [keys.memory] })
  const collect = async () => {
    const before = await unwrap(api.memory.get())
    const after = await unwrap(api.memory.get({ query: { forceGC: true } }))
    const [used, left] = [before, after].map(({ workingSetMB }) => sizeText(workingSetMB))
    notify(t('memory.collected', { before: used ?? '', after: left ?? '' }))
  }
  return (
    <Card title={t('memory.title')} note={t('memory.note')}>
      {data === undefined ? (
        <Pending error={error} rows={3} />
      ) : (
        <Facts
          facts={[
            [
              t('memory.use'),
              t('memory.useOf', {
                used: sizeText(data.workingSetMB),
                total: sizeText(data.totalSystemMemoryMB),
              }),
            ],
            [t('memory.heap'), sizeText(data.managedMB)],
            [t('memory.threads'), countText(data.threadCount)],
          ]}
        />
      )}
      <Row title={t('memory.collect')}>
        <Action label={t('memory.collect')} run={collect} saving={saving} />
      </Row>
      <Scheduled />
    </Card>
  )
}

function Scheduled() {
  const { data: management } = useAccountRead(
    [...keys.memory, 'management'],
    api.system['gc-management'].status.get,
  )
  const isManaged = management?.enabled === true
  const { data } = useRead([...keys.memory, 'settings'], api.gc.settings.get, {
    enabled: isManaged,
  })
  const saving = useSave({ stale: [keys.memory, keys.schedules] })
  const { enabled, memoryThresholdMB } = data ?? { enabled: false, memoryThresholdMB: 4096 }
  const put = (part: { enabled?: boolean; memoryThresholdMB?: number }) =>
    unwrap(api.gc.settings.put({ enabled, memoryThresholdMB, ...part }))
  const isBarred = data === undefined
  return (
    <>
      <SwitchSetting
        id="memory.collects"
        value={enabled}
        write={(isOn) => put({ enabled: isOn })}
        saving={saving}
        state={management !== undefined && !isManaged ? t('memory.unmanaged') : undefined}
        disabled={isBarred}
      />
      <NumberSetting
        id="memory.threshold"
        value={memoryThresholdMB}
        known={thresholds}
        text={(count) => tn('memory.mib', count)}
        write={(threshold) => put({ memoryThresholdMB: threshold })}
        saving={saving}
        disabled={isBarred}
      />
    </>
  )
}
