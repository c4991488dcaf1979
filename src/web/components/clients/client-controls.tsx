import { useState } from 'react'
import { useClientGroups, type ClientDevice, type ClientGroup } from '../../api/client-queries.ts'
import { api, unwrap, keys } from '../../api/client.ts'
import { useDevices } from '../../api/queries.ts'
import { isName, nicknameProblem } from '../../app/clients/draft.ts'
import { groupOf, useMembership, writeName } from '../../app/clients/membership.ts'
import { countings, type Counting, countingsOf, withCounting } from '../../app/clients/counting.ts'
import { useSave } from '../../app/use-save.ts'
import { t } from '../../locales/translate.ts'
import { Button, Choice, Field, Form, optionsOf } from '../form-controls.tsx'
import { Pencil } from '../pencil.tsx'

/** Names one address; nothing for addresses of a group, which has its own page. */
export function NamePencil({ ip }: { ip: string }) {
  const groups = useClientGroups().data
  const held = groupOf(groups, ip)
  if (groups === undefined || (held !== null && !isName(held))) return null
  const taken = groups.filter(({ id }) => id !== held?.id).map(({ nickname }) => nickname)
  return (
    <Pencil label={t('client.rename', { ip })} className="w-[280px]">
      {(close) => (
        <div className="space-y-3">
          <NameForm
            key={held?.updatedAtUtc ?? ''}
            ip={ip}
            name={held?.nickname ?? ''}
            taken={taken}
            onDone={close}
          />
          <DeviceChoice ip={ip} name={held?.nickname ?? ip} />
        </div>
      )}
    </Pencil>
  )
}

interface NameFormProps {
  ip: string
  name: string
  taken: readonly string[]
  onDone: () => void
}

function NameForm({ ip, name, taken, onDone }: NameFormProps) {
  const [text, setText] = useState(name)
  const { save, isBusy } = useSave({ stale: [keys.clientGroups, ...keys.reports] })
  const wanted = text.trim()
  const problem = wanted === '' ? null : nicknameProblem(wanted, taken)
  const canSave = problem === null && wanted !== name
  const submit = () => {
    if (!canSave) return
    save({
      run: () => writeName(ip, wanted),
      done: t(wanted === '' ? 'client.unnamed' : 'client.named', { ip, name: wanted }),
      undo: () => writeName(ip, name),
      after: onDone,
    })
  }
  return (
    <Form onSubmit={submit} className="space-y-3">
      <Field
        label={t('client.nameOf', { ip })}
        value={text}
        autoComplete="off"
        data-focus
        problem={problem === null ? undefined : t(problem)}
        onChange={({ target }) => setText(target.value)}
      />
      <div className="flex gap-2">
        <Button type="submit" className="primary" disabled={!canSave || isBusy}>
          {t('client.saveName')}
        </Button>
        {name !== '' && (
          <Button type="button" disabled={isBusy} onClick={() => setText('')}>
            {t('client.clearName')}
          </Button>
        )}
      </div>
    </Form>
  )
}

interface ClientProps {
  ip: string
  /** What it is called where it is shown. */
  name: string
  groups: readonly ClientGroup[]
}

/** Which group an address belongs to; an own name is not one. */
export function GroupChoice({ ip, name, groups }: ClientProps) {
  const { change, isBusy } = useMembership()
  const several = groups.filter((group) => !isName(group))
  const group = groupOf(several, ip)
  const find = (id: number | undefined) => several.find((other) => other.id === id) ?? null
  return (
    <Choice
      label={t('client.groupOf', { name })}
      value={group?.id}
      options={[
        { value: undefined, label: t('client.noGroup') },
        ...several.map(({ id, nickname }) => ({ value: id, label: nickname })),
      ]}
      disabled={isBusy}
      onChange={(id) => change(ip, group, find(id))}
    />
  )
}

/** What kind of device a client is: the guess, or one that overrides it. */
export function DeviceChoice({ ip, name }: Pick<ClientProps, 'ip' | 'name'>) {
  const { data } = useDevices()
  const { save, isBusy } = useSave({ stale: [keys.devices] })
  const device = data?.find(({ clientIp }) => clientIp === ip)
  const chosen = device?.basis === 'chosen' ? device.kind : null
  const guessed = device === undefined || chosen !== null ? null : t(`device.kind.${device.kind}`)
  const write = (kind: DeviceKind | null) => unwrap(api.ext.clients({ ip }).device.put({ kind }))
  return (
    <Choice
      label={t('device.of', { name })}
      value={chosen}
      options={[
        {
          value: null,
          label: guessed === null ? t('device.guess') : t('device.guessed', { kind: guessed }),
        },
        ...optionsOf(deviceKinds, (kind) => t(`device.kind.${kind}`)),
      ]}
      disabled={isBusy || data === undefined}
      onChange={(kind) =>
        save({
          run: () => write(kind),
          undo: () => write(chosen),
          done:
            kind === null
              ? t('device.nowGuessed', { name })
              : t('device.nowChosen', { name, kind: t(`device.kind.${kind}`) }),
        })
      }
    />
  )
}

type DeviceKind = ClientDevice['kind']

const deviceKinds: readonly DeviceKind[] = [
  'computer',
  'laptop',
  'handheld',
  'console',
  'phone',
  'tv',
  'server',
]

interface CountingProps extends Pick<ClientProps, 'ip' | 'name'> {
  counting: Counting
}

/** Whether statistics count a client. */
export function CountingChoice({ ip, name, counting }: CountingProps) {
  const { change, isBusy } = useCounting()
  return (
    <Choice
      label={t('counting.of', { name })}
      value={counting}
      options={optionsOf(countings, (value) => t(`counting.mode.${value}`))}
      disabled={isBusy}
      onChange={(next) => change(ip, next, name)}
    />
  )
}

const stale = [keys.exclusions, keys.downloads, keys.before, ...keys.reports]

async function write(ip: string, counting: Counting): Promise<void> {
  // Reread: the whole set is replaced, and another rule may have changed meanwhile.
  const { rules } = await unwrap(api.stats.exclusions.get())
  await unwrap(api.stats.exclusions.put({ rules: withCounting(rules, ip, counting) }))
}

/** Changes whether a client is counted; undo restores its previous counting. */
export function useCounting() {
  const { save, isBusy } = useSave({ stale })
  const change = (ip: string, counting: Counting, name: string, after?: () => void) => {
    let before: Counting = 'counted'
    save({
      run: async () => {
        const { rules } = await unwrap(api.stats.exclusions.get())
        before = countingsOf(rules).get(ip) ?? 'counted'
        await write(ip, counting)
      },
      done: t(`counting.now.${counting}`, { name }),
      undo: () => write(ip, before),
      after,
    })
  }
  return { change, isBusy }
}
