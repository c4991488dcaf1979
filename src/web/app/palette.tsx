import { useNavigate } from '@tanstack/react-router'
import { CornerDownLeft } from 'lucide-react'
import { useId, useState, type KeyboardEvent } from 'react'
import { DeviceIcon } from '../components/clients/device-icon.tsx'
import { Modal } from '../components/modal.tsx'
import { t } from '../locales/translate.ts'
import { useCommands, type Command } from './commands.ts'
import { matching } from './matching.ts'

const shownMax = 40

/** Finds every page, client, service and action by typing. */
export function Palette({ onClose }: { onClose: () => void }) {
  const listId = useId()
  const navigate = useNavigate()
  const [wanted, setWanted] = useState('')
  const [selected, setSelected] = useState(0)
  const commands = useCommands(wanted)
  const found = matching(commands, wanted).slice(0, shownMax)
  const search: Command | null =
    wanted.trim() === ''
      ? null
      : {
          id: 'search',
          group: t('palette.search'),
          label: t('palette.searchDownloads', { text: wanted.trim() }),
          run: () => void navigate({ to: '/downloads', search: { search: wanted.trim() } }),
        }
  const number = /^#?(\d{1,15})$/.exec(wanted.trim())?.[1]
  const byNumber: Command[] =
    number === undefined
      ? []
      : [
          {
            id: 'number',
            group: t('nav.downloads'),
            label: t('palette.downloadNumber', { id: number }),
            run: () => void navigate({ to: '/downloads/$id', params: { id: number } }),
          },
        ]
  const shown = [...byNumber, ...found, ...(search === null ? [] : [search])]
  const at = Math.min(selected, shown.length - 1)
  const run = (command: Command | undefined) => {
    if (command === undefined) return
    onClose()
    command.run()
  }
  const onKey = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step !== 0) {
      event.preventDefault()
      const next = (at + step + shown.length) % shown.length
      setSelected(next)
      document.getElementById(`${listId}-${next}`)?.scrollIntoView({ block: 'nearest' })
    } else if (event.key === 'Enter') {
      event.preventDefault()
      run(shown[at])
    }
  }
  return (
    <Modal title={t('palette.title')} hidesTitle isOpen onClose={onClose} place="top">
      <input
        role="combobox"
        aria-label={t('palette.prompt')}
        aria-expanded="true"
        aria-controls={listId}
        aria-activedescendant={shown.length > 0 ? `${listId}-${at}` : undefined}
        placeholder={t('palette.placeholder')}
        className="h-[52px] w-full border-b border-line bg-transparent px-5 outline-none placeholder:text-dim"
        value={wanted}
        onChange={({ target }) => {
          setWanted(target.value)
          setSelected(0)
        }}
        onKeyDown={onKey}
      />
      <ul
        id={listId}
        role="listbox"
        aria-label={t('palette.title')}
        className="max-h-[56dvh] overflow-y-auto p-2"
      >
        {shown.map((command, index) => (
          <li
            key={command.id}
            id={`${listId}-${index}`}
            role="option"
            aria-selected={index === at}
            className="flex h-10 items-center gap-3 rounded-control px-3 aria-selected:bg-raise"
            onPointerMove={() => setSelected(index)}
            onClick={() => run(command)}
          >
            {command.ip !== undefined && <DeviceIcon ip={command.ip} className="-mr-1.5" />}
            <span className="truncate">{command.label}</span>
            {command.note !== undefined && (
              <span className="truncate text-small text-dim">{command.note}</span>
            )}
            <span className="ml-auto flex-none text-small text-dim">
              {index === at ? <CornerDownLeft size={14} /> : command.group}
            </span>
          </li>
        ))}
      </ul>
    </Modal>
  )
}
