import { useState, type ReactNode } from 'react'
import { useClientGroups, type ClientGroup } from '../../../api/client-queries.ts'
import { keys } from '../../../api/client.ts'
import {
  changesOf,
  descriptionMax,
  draftOf,
  emptyDraft,
  isName,
  nicknameProblem,
  sameDraft,
  type Draft,
} from '../../../app/clients/draft.ts'
import { assign } from '../../../app/clients/membership.ts'
import {
  type Saved,
  createGroup,
  currentGroup,
  deleteGroup,
  refusedIps,
  saveGroup,
} from '../../../app/clients/save-group.ts'
import { useSave } from '../../../app/use-save.ts'
import { Button, choices, Field, Segments } from '../../../components/form-controls.tsx'
import { Dot } from '../../../components/figures.tsx'
import { Notice } from '../../../components/card.tsx'
import { t } from '../../../locales/translate.ts'
import { AddAddress, useKnownClients } from './add-address.tsx'
import { Members } from './members.tsx'
import { Action } from '../../../components/setting-controls.tsx'
import { refusalText } from '../../../api/refusal-text.ts'

interface GroupPanelProps {
  isNew: boolean
  /** Null for a new group, or one that does not exist. */
  group: ClientGroup | null
  rejected: readonly string[]
  onRejected: (ips: string[]) => void
  onSaved: (saved: Saved) => void
  onClose: () => void
}

const newest = (a: ClientGroup | null, b: ClientGroup | null): ClientGroup | null =>
  a === null || b === null ? (a ?? b) : (a.updatedAtUtc ?? '') >= (b.updatedAtUtc ?? '') ? a : b

/** A group's draft; follows changes made elsewhere until it is edited. */
function useDraft(group: ClientGroup | null, refused: ClientGroup | null, isBusy: boolean) {
  const [base, setBase] = useState(group)
  const before = base === null ? emptyDraft : draftOf(base)
  const [draft, setDraft] = useState(before)
  const current = newest(group, refused)
  const isDirty = !sameDraft(before, draft)
  const isNewer = base !== null && current !== null && newest(base, current) !== base && !isBusy
  const adopt = (next: ClientGroup) => {
    setBase(next)
    setDraft(draftOf(next))
  }
  if (isNewer && !isDirty) adopt(current)
  else if (isNewer && sameDraft(draftOf(current), before)) setBase(current)
  return { base, draft, setDraft, isDirty, conflict: isNewer && isDirty ? current : null, adopt }
}

/** One group: name, display, and members in order. */
export function GroupPanel(props: GroupPanelProps) {
  const { isNew, group, rejected, onRejected, onSaved, onClose } = props
  const { data: groups = [] } = useClientGroups()
  const known = useKnownClients()
  const [isSaving, setIsSaving] = useState(false)
  const saving = useGroupSave({
    onSaved: (saved) => {
      adopt(saved.group)
      onSaved(saved)
    },
    onRejected,
    onGone: onClose,
  })
  const { refused, isBusy, problem } = saving
  const state = useDraft(group, refused, isBusy || isSaving)
  const { base, draft, setDraft, isDirty, conflict, adopt } = state
  const isGone = base !== null && group === null && !isBusy
  const change = (part: Partial<Draft>) => setDraft({ ...draft, ...part })
  const others = groups.filter(({ id }) => id !== base?.id)
  const nameProblem = nicknameProblem(
    draft.nickname,
    others.map(({ nickname }) => nickname),
  )
  const add = (ips: string[]) => {
    const more = ips.filter((ip) => !draft.memberIps.includes(ip))
    change({ memberIps: [...draft.memberIps, ...new Set(more)] })
  }
  const grouped = new Set(groups.filter((one) => !isName(one)).flatMap((one) => one.memberIps))
  const save = () => {
    setIsSaving(true)
    saving.save(isGone ? null : base, draft, () => setIsSaving(false))
  }
  if (base === null && !isNew) return <Notice tone="attention" title={t('group.gone')} />
  return (
    <div className="space-y-4">
      {isGone && <Notice tone="attention" title={t('group.gone')} className="py-3" />}
      {base !== null && conflict !== null && (
        <Conflict
          base={draftOf(base)}
          current={draftOf(conflict)}
          isBusy={isBusy}
          onReload={() => adopt(conflict)}
        />
      )}
      <Rejected
        ips={rejected}
        group={base}
        onTaken={(ip) => onRejected(rejected.filter((other) => other !== ip))}
      />
      <Texts draft={draft} problem={isDirty ? nameProblem : null} onChange={change} />
      <div>
        <p className="mb-1.5 text-small font-medium">{t('group.members')}</p>
        <Members ips={draft.memberIps} onChange={(memberIps) => change({ memberIps })} />
        {draft.memberIps.length === 0 && (
          <p className="text-small text-dim">{t('group.noMembers')}</p>
        )}
      </div>
      <AddAddress
        label={t('group.addMember')}
        action={t('group.add')}
        known={known.filter(({ ip }) => !grouped.has(ip) && !draft.memberIps.includes(ip))}
        onAdd={add}
      />
      {problem !== null && (
        <p role="alert" className="text-small text-bad">
          {problem}
        </p>
      )}
      <Button
        className="primary w-full"
        disabled={isBusy || nameProblem !== null || conflict !== null || !(isDirty || isGone)}
        onClick={save}
      >
        {t(base === null ? 'group.create' : isGone ? 'group.recreate' : 'group.save')}
      </Button>
      {base !== null && !isGone && (
        <Button
          className="w-full justify-center"
          disabled={isBusy}
          onClick={() => saving.remove(base)}
        >
          {t('group.delete')}
        </Button>
      )}
    </div>
  )
}

interface TextsProps {
  draft: Draft
  problem: ReturnType<typeof nicknameProblem>
  onChange: (part: Partial<Draft>) => void
}

const Texts = ({ draft, problem, onChange }: TextsProps) => (
  <>
    <Field
      label={t('group.nickname')}
      hint={t('group.nicknameHint')}
      problem={problem === null ? undefined : t(problem)}
      autoComplete="off"
      value={draft.nickname}
      onChange={({ target }) => onChange({ nickname: target.value })}
    />
    <Field
      label={t('group.description')}
      autoComplete="off"
      maxLength={descriptionMax}
      value={draft.description}
      onChange={({ target }) => onChange({ description: target.value })}
    />
    <div>
      <p className="mb-1.5 text-small font-medium">{t('group.rows')}</p>
      <Segments
        label={t('group.rows')}
        value={draft.separateMemberRows ? 'separate' : 'together'}
        options={choices({ together: 'group.together', separate: 'group.separate' })}
        onChange={(rows) => onChange({ separateMemberRows: rows === 'separate' })}
      />
      <p className="mt-1.5 text-small text-dim">
        {t(draft.separateMemberRows ? 'group.separateNote' : 'group.togetherNote')}
      </p>
    </div>
  </>
)

const Warning = ({ title, children }: { title: string; children: ReactNode }) => (
  <section
    role="alert"
    aria-label={title}
    className="rounded-control border border-fetched bg-raise p-3.5"
  >
    <p className="mb-2 flex items-center gap-2 font-medium">
      <Dot tone="attention" />
      {title}
    </p>
    {children}
  </section>
)

interface ConflictProps {
  /** The state that editing started from. */
  base: Draft
  /** The group's current state. */
  current: Draft
  isBusy: boolean
  onReload: () => void
}

/** The group was changed elsewhere while being edited: shows the changes, with a reload button. */
const Conflict = ({ base, current, isBusy, onReload }: ConflictProps) => (
  <Warning title={t('conflict.title')}>
    <ul className="list-disc pl-5 text-small">
      {changesOf(base, current).map(([key, values]) => (
        <li key={key} className="break-words">
          {t(key, values)}
        </li>
      ))}
    </ul>
    <Button className="mt-3" disabled={isBusy} onClick={onReload}>
      {t('conflict.reload')}
    </Button>
  </Warning>
)

interface RejectedProps {
  ips: readonly string[]
  /** The target group; null if it does not exist. */
  group: ClientGroup | null
  onTaken: (ip: string) => void
}

/** Rejected addresses, each with the reason and a remedy. */
function Rejected({ ips, group, onTaken }: RejectedProps) {
  const { data: groups = [] } = useClientGroups()
  const saving = useSave({ stale: [keys.clientGroups, ...keys.reports] })
  if (ips.length === 0) return null
  return (
    <Warning title={t('rejected.title')}>
      <ul className="space-y-1.5 text-small">
        {ips.map((ip) => {
          const owner = groups.find(({ memberIps }) => memberIps.includes(ip))
          const isElsewhere = owner !== undefined && owner.id !== group?.id
          return (
            <li key={ip} className="flex flex-wrap items-center gap-x-3 gap-y-1">
              <span className="min-w-0 flex-1 break-words">
                {isElsewhere
                  ? t('rejected.elsewhere', { ip, group: owner.nickname })
                  : owner === undefined
                    ? t('rejected.invalid', { ip })
                    : t('rejected.here', { ip })}
              </span>
              {isElsewhere && group !== null && (
                <Action
                  className="h-7 px-2.5 text-small"
                  label={t('rejected.move')}
                  run={() => assign(ip, group.id)}
                  done={t('rejected.moved', { ip, group: group.nickname })}
                  undo={() => assign(ip, owner.id)}
                  after={() => onTaken(ip)}
                  saving={saving}
                />
              )}
            </li>
          )
        })}
      </ul>
    </Warning>
  )
}

const stale = [keys.clientGroups, ...keys.reports]

interface GroupSave {
  onSaved: (saved: Saved) => void
  onRejected: (ips: string[]) => void
  onGone: () => void
}

/** Creates, changes and deletes groups, each with a toast and undo. */
function useGroupSave({ onSaved, onRejected, onGone }: GroupSave) {
  const saving = useSave({ stale, showsError: true })
  const removing = useSave({ stale })
  const save = (base: ClientGroup | null, draft: Draft, onSettled: () => void) => {
    let saved: Saved
    const run = async () => {
      try {
        saved = base === null ? await createGroup(draft) : await saveGroup(base, draft)
      } catch (error) {
        onRejected(refusedIps(error))
        throw error
      }
    }
    const done = t(base === null ? 'group.created' : 'group.saved', {
      name: draft.nickname.trim(),
    })
    const undo = async () => {
      if (base === null) await deleteGroup(saved.group)
      else await saveGroup(saved.group, draftOf(base))
    }
    const after = () => {
      onRejected(saved.rejectedIps)
      onSaved(saved)
    }
    saving.save({ run, done, undo, after }, { onSettled })
  }
  const remove = (group: ClientGroup) =>
    removing.save({
      run: () => deleteGroup(group),
      done: t('group.deleted', { name: group.nickname }),
      undo: () => createGroup(draftOf(group)),
      after: onGone,
    })
  const { error } = saving
  const refused = currentGroup(error)
  const isKnown = refused !== null || refusedIps(error).length > 0
  return {
    save,
    remove,
    /** The group's current state, after a save was refused because of a concurrent change. */
    refused,
    isBusy: saving.isBusy || removing.isBusy,
    problem: error === null || isKnown ? null : refusalText(error),
  }
}
