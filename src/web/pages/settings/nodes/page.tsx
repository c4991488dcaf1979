import { useState } from 'react'
import { api, unwrap, keys } from '../../../api/client.ts'
import { useAccountRead } from '../../../api/queries.ts'
import { useNow } from '../../../app/clock.ts'
import { useRemedies } from '../../../app/remedies.ts'
import { useSave } from '../../../app/use-save.ts'
import { Button, Field, Form } from '../../../components/form-controls.tsx'
import { Card, Notice, Pending, Problem, Row, StateLine } from '../../../components/card.tsx'
import { CopyBlock } from '../../../components/copy-field.tsx'
import { Dot, type Tone } from '../../../components/figures.tsx'
import { Action } from '../../../components/setting-controls.tsx'
import { t, type Key } from '../../../locales/translate.ts'
import { SettingsPage } from '../settings-page.tsx'
import type { Static } from '@sinclair/typebox'
import type { NodeModel } from '../../../../nodes/model.ts'
import { sinceText } from '../../../format/times.ts'

/** Larder on other machines, beside their caches. */
export const Page = () => (
  <SettingsPage title={t('settings.nodes')}>
    <NodesCard />
  </SettingsPage>
)

interface Invitation {
  name: string
  token: string
}

const nameMax = 60

/** The list, and the command of the last invitation, whose token is shown once. */
function NodesCard() {
  const { data, error } = useAccountRead(keys.nodes, api.ext.nodes.get)
  const [isAdding, setIsAdding] = useState(false)
  const [invitation, setInvitation] = useState<Invitation | null>(null)
  const add = <Button onClick={() => setIsAdding(true)}>{t('nodes.add')}</Button>
  return (
    <Card
      title={t('nodes.title')}
      note={t('nodes.note')}
      action={!isAdding && data?.items.length !== 0 && add}
    >
      {invitation !== null && <Join {...invitation} onDone={() => setInvitation(null)} />}
      {isAdding && (
        <NameForm
          label={t('nodes.create')}
          run={async (name) => setInvitation(await unwrap(api.ext.nodes.post({ name })))}
          onDone={() => setIsAdding(false)}
        />
      )}
      {data === undefined && <Pending error={error} rows={2} />}
      {data?.items.length === 0 && !isAdding && (
        <Notice title={t('nodes.none')} action={add} className="py-10">
          {t('nodes.noneText')}
        </Notice>
      )}
      {data?.items.map((node) => (
        <Entry key={node.id} node={node} onInvite={setInvitation} />
      ))}
      <p className="mt-4 flex items-center gap-2 text-small text-dim">
        <Dot tone="good" />
        {t('nodes.encrypted')}
      </p>
    </Card>
  )
}

function Entry({ node, onInvite }: { node: Node; onInvite: (invitation: Invitation) => void }) {
  const now = useNow(30_000)
  const remedyText = useRemedies()
  const saving = useSave({ stale: [keys.nodes, keys.service] })
  const [isRenaming, setIsRenaming] = useState(false)
  const { id, name, state, sinceUtc, version, address } = node
  const remedy = remedyOf(node, now)
  const facts = [
    t(`nodes.state.${state}`),
    sinceText(new Date(sinceUtc), now),
    ...(version === null ? [] : [`Larder ${version}`]),
    ...(address === null ? [] : [address]),
  ]
  const one = api.ext.nodes({ id })
  if (isRenaming) {
    return (
      <NameForm
        initial={name}
        label={t('action.rename')}
        run={(wanted) => unwrap(one.patch({ name: wanted }))}
        onDone={() => setIsRenaming(false)}
      />
    )
  }
  return (
    <Row
      isEntry
      title={name}
      note={
        <StateLine tone={tones[state]}>
          {facts.join(' · ')}
          {remedy !== null && <span className="block">{remedyText(remedy)}</span>}
        </StateLine>
      }
    >
      <Button disabled={saving.isBusy} onClick={() => setIsRenaming(true)}>
        {t('action.rename')}
      </Button>
      <Action
        label={t('nodes.newToken')}
        {...(state === 'connected' && { consequence: t('nodes.newTokenConsequence', { name }) })}
        run={async () => onInvite(await unwrap(one.token.post()))}
        saving={saving}
      />
      {state !== 'revoked' && state !== 'invited' && (
        <Action
          label={t('nodes.revoke')}
          consequence={t('nodes.revokeConsequence', { name })}
          run={() => unwrap(one.revoke.post())}
          done={t('nodes.revoked', { name })}
          saving={saving}
        />
      )}
      <Action
        label={t('nodes.remove')}
        consequence={t('nodes.removeConsequence', { name })}
        run={() => unwrap(one.delete())}
        done={t('nodes.removed', { name })}
        saving={saving}
      />
    </Row>
  )
}

interface NameFormProps {
  initial?: string
  label: string
  run: (name: string) => Promise<unknown>
  /** Called when it is stored or given up. */
  onDone: () => void
}

function NameForm({ initial = '', label, run, onDone }: NameFormProps) {
  const { save, isBusy, error } = useSave({ stale: [keys.nodes], showsError: true })
  const [name, setName] = useState(initial)
  const wanted = name.trim()
  return (
    <Form
      onSubmit={() => save({ run: () => run(wanted), after: onDone })}
      className="mb-4 space-y-4 rounded-control bg-raise p-4"
    >
      <div className="max-w-[320px]">
        <Field
          label={t('nodes.name')}
          autoFocus
          maxLength={nameMax}
          placeholder="nas"
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
      </div>
      <Problem error={error} />
      <div className="flex gap-2">
        <Button
          type="submit"
          className="primary"
          disabled={isBusy || wanted === '' || wanted === initial}
        >
          {label}
        </Button>
        <Button onClick={onDone}>{t('action.cancel')}</Button>
      </div>
    </Form>
  )
}

/** The one command that makes a node of a machine. */
function Join({ name, token, onDone }: Invitation & { onDone: () => void }) {
  const remedyText = useRemedies()
  return (
    <div role="status" className="mb-4 space-y-3 rounded-control bg-raise p-4">
      <p className="font-medium">{t('nodes.join', { name })}</p>
      <p className="text-small text-dim">{remedyText('nodes.joinText')}</p>
      <CopyBlock
        label={t('nodes.command')}
        value={remedyText('nodes.joinCommand', { service: location.origin, token })}
      />
      <Button onClick={onDone}>{t('nodes.noted')}</Button>
    </div>
  )
}

type Node = Static<typeof NodeModel>

const tones = {
  invited: 'quiet',
  connected: 'good',
  away: 'bad',
  refused: 'bad',
  revoked: 'quiet',
} as const satisfies Record<Node['state'], Tone>

/** What to do, where something has to be done. */
function remedyOf({ state, refusal, tokenExpiresAtUtc }: Node, now: Date): Key | null {
  if (state === 'away') return 'nodes.awayText'
  if (refusal !== null) return `nodes.${refusal}`
  if (tokenExpiresAtUtc === null) return null
  return new Date(tokenExpiresAtUtc) > now ? 'nodes.hasToken' : 'nodes.tokenExpired'
}
