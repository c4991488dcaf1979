import { api, unwrap, keys } from '../../../api/client.ts'
import { useNow } from '../../../app/clock.ts'
import { Card, Trouble, Saves } from '../../../components/card.tsx'
import { Mark } from '../../../components/artwork.tsx'
import { byteText } from '../../../format/numbers.ts'
import { serviceName } from '../../../format/services.ts'
import { durationText, fullMomentText } from '../../../format/times.ts'
import { t, tn } from '../../../locales/translate.ts'
import {
  retentionKey,
  useCanChange,
  useGames,
  usePending,
  useRules,
  type Pending as PendingGame,
} from './queries.ts'
import { sentenceOf } from './sentence.ts'
import { Action } from '../../../components/setting-controls.tsx'

/** Games listed for removal, with a button to keep them; renders nothing without any. */
export function PendingCard() {
  const { data: rules = [] } = useRules()
  const { games, nameOf } = useGames()
  const { data, error } = usePending()
  if (data === undefined && error !== null) {
    return (
      <Card title={t('retention.pending')} className="mb-3">
        <Trouble error={error} />
      </Card>
    )
  }
  if (data === undefined || data.length === 0) return null
  /** The rule's sentence; the server's text if the rule is gone. */
  const whyOf = ({ ruleId, reason }: PendingGame) => {
    const rule = rules.find(({ id }) => id === ruleId)
    return rule === undefined ? reason : sentenceOf(rule, nameOf)
  }
  const listed = data.map((game) => {
    const { files, bytes } = games.find(({ key }) => key === game.gameKey) ?? game
    return { ...game, files, bytes, name: nameOf(game.gameKey, game.name) }
  })
  const bytes = listed.reduce((sum, game) => sum + game.bytes, 0)
  return (
    <Card
      title={t('retention.pending')}
      note={tn('retention.pendingNote', data.length, { bytes: byteText(bytes) })}
      className="mb-3"
    >
      <ul>
        {listed.map((game) => (
          <Row key={game.id} game={game} why={whyOf(game)} />
        ))}
      </ul>
    </Card>
  )
}

function Row({ game, why }: { game: PendingGame; why: string }) {
  const canChange = useCanChange()
  const now = useNow(15_000)
  const one = api.ext.retention.pending({ id: game.id })
  const left = (Date.parse(game.dueAtUtc) - now.getTime()) / 1000
  const state =
    game.problem ??
    (game.startedAtUtc !== null
      ? t('retention.leaving')
      : left <= 0
        ? t('retention.due')
        : t('retention.leavesIn', { time: durationText(left) }))
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-2 border-line py-2.5 not-last:border-b">
      <Mark name={game.name} service={game.service} />
      <span className="min-w-[180px] flex-1">
        <span className="block font-medium wrap-anywhere">{game.name}</span>
        <span className="block text-[13px] text-dim">
          {serviceName(game.service)} · {why}
        </span>
      </span>
      <div className="flex flex-wrap items-center justify-end gap-2 max-sm:w-full max-sm:justify-start max-sm:pl-[46px]">
        <span className="figure text-right text-[13px] max-sm:w-full max-sm:text-left">
          <span className="block">{byteText(game.bytes)}</span>
          <span className="block text-dim" title={fullMomentText(new Date(game.dueAtUtc))}>
            {state}
          </span>
        </span>
        {canChange && game.startedAtUtc === null && (
          <Saves stale={[retentionKey, keys.operations]}>
            <Action
              label={t('retention.keep')}
              run={() => unwrap(one.delete())}
              done={t('retention.kept', { name: game.name })}
            />
            <Action
              label={t('retention.removeNow')}
              consequence={tn('retention.removeNowText', game.files, {
                bytes: byteText(game.bytes),
              })}
              run={() => unwrap(one.now.post())}
              done={t('retention.removalStarted')}
            />
          </Saves>
        )}
      </div>
    </li>
  )
}
