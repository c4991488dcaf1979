import { api, unwrap } from '../../../api/eden.ts'
import { keys } from '../../../api/keys.ts'
import { reasonText } from '../../../api/refusal-text.ts'
import { useNow } from '../../../app/use-now.ts'
import { Button } from '../../../components/button.tsx'
import { Card } from '../../../components/card.tsx'
import { Notice } from '../../../components/notice.tsx'
import { Row, StateLine } from '../../../components/setting.tsx'
import { Switch } from '../../../components/switch.tsx'
import { complain, say } from '../../../components/toast.tsx'
import { sinceText } from '../../../format/since.ts'
import { t, tn } from '../../../locales/translate.ts'
import { useSave } from '../../../app/use-save.ts'
import { kinds } from './kinds.ts'
import type { Target } from './queries.ts'

interface TargetsCardProps {
  targets: readonly Target[]
  onOpen: (id: string) => void
}

/** Where notifications go, how the last one went, and a test. */
export const TargetsCard = ({ targets, onOpen }: TargetsCardProps) => (
  <Card title={t('notify.targets')} note={t('notify.targetsNote')}>
    {targets.length === 0 && (
      <Notice title={t('notify.noTargets')} className="py-10">
        {t('notify.noTargetsText')}
      </Notice>
    )}
    {targets.map((target) => (
      <Entry key={target.id} target={target} onOpen={() => onOpen(target.id)} />
    ))}
  </Card>
)

function Entry({ target, onOpen }: { target: Target; onOpen: () => void }) {
  const { id, name, kind, address, isEnabled, onlyProblems } = target
  const { save, isBusy } = useSave({ stale: [keys.notifications] })
  const one = api.ext.notifications.targets({ id })
  const facts = [t(kinds[kind].label), address, onlyProblems ? t('notify.onlyProblems') : '']
  const enable = (next: boolean) => () => unwrap(one.patch({ isEnabled: next }))
  const test = async () => {
    const { isDelivered, error } = await unwrap(one.test.post())
    if (isDelivered) say(t('notify.testDelivered'))
    else complain(t('notify.testFailed', { reason: reasonText(error ?? '') }))
  }
  return (
    <Row
      isEntry
      title={name}
      note={
        <>
          <span className="block">{facts.filter((fact) => fact !== '').join(' · ')}</span>
          <State target={target} />
        </>
      }
    >
      <Button disabled={isBusy} onClick={() => save({ run: test })}>
        {t('notify.test')}
      </Button>
      <Button aria-label={t('notify.editOne', { name })} onClick={onOpen}>
        {t('notify.edit')}
      </Button>
      <Switch
        label={t('notify.isEnabled', { name })}
        isOn={isEnabled}
        disabled={isBusy}
        onChange={(next) =>
          save({ run: enable(next), done: t('prefs.saved'), undo: enable(isEnabled) })
        }
      />
    </Row>
  )
}

function State({ target }: { target: Target }) {
  const now = useNow(30_000)
  const { isEnabled, lastError, lastErrorAtUtc, lastSentAtUtc, waiting } = target
  if (!isEnabled) return <StateLine tone="quiet">{t('notify.disabled')}</StateLine>
  const waits = waiting === 0 ? [] : [tn('notify.waiting', waiting)]
  if (lastError !== null && lastErrorAtUtc !== null) {
    const time = sinceText(new Date(lastErrorAtUtc), now)
    const failed = t('notify.failed', { reason: reasonText(lastError), time })
    return <StateLine tone="bad">{[failed, ...waits].join(' · ')}</StateLine>
  }
  const sent =
    lastSentAtUtc === null
      ? t('notify.neverSent')
      : t('notify.sent', { time: sinceText(new Date(lastSentAtUtc), now) })
  const tone = lastSentAtUtc === null ? 'quiet' : 'good'
  return <StateLine tone={tone}>{[sent, ...waits].join(' · ')}</StateLine>
}
