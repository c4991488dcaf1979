import { Plus } from 'lucide-react'
import { useDeferredValue, useState } from 'react'
import { useFoundGames, wishFor, type GuestView, type WishBody } from '../../api/party-queries.ts'
import { Form, SearchField } from '../../components/form-controls.tsx'
import { t } from '../../locales/translate.ts'

const nameMax = 80

/** Sends a wish or a vote, which answers with the page. */
export type Change = (act: () => Promise<GuestView>, after?: () => void) => void

interface WishFieldProps {
  id: number
  isBusy: boolean
  onChange: Change
}

/** A wish: one of the known games, or a name that was typed. */
export function WishField({ id, isBusy, onChange }: WishFieldProps) {
  const [text, setText] = useState('')
  const name = text.trim().slice(0, nameMax)
  const { data: found = [] } = useFoundGames(id, useDeferredValue(name))
  const send = (body: WishBody) =>
    onChange(
      () => wishFor(id, body),
      () => setText(''),
    )
  const isKnown = found.some((game) => game.name.toLowerCase() === name.toLowerCase())
  return (
    <Form onSubmit={() => name !== '' && send({ name })}>
      <SearchField
        label={t('party.search')}
        value={text}
        onChange={setText}
        className="h-11 w-full"
      />
      {name !== '' && (
        <ul className="mt-1.5 rounded-control border border-line">
          {found.map((game) => (
            <Choice
              key={`${game.platform} ${game.appId} ${game.name}`}
              label={game.name}
              note={game.isReady ? t('party.stateReady') : ''}
              isBusy={isBusy}
              onChoose={() =>
                send(
                  game.platform === null || game.appId === null
                    ? { name: game.name.slice(0, nameMax) }
                    : {
                        name: game.name.slice(0, nameMax),
                        platform: game.platform,
                        appId: game.appId,
                      },
                )
              }
            />
          ))}
          {!isKnown && (
            <Choice
              label={t('party.freeWish', { name })}
              note=""
              isBusy={isBusy}
              onChoose={() => send({ name })}
            />
          )}
        </ul>
      )}
    </Form>
  )
}

interface ChoiceProps {
  label: string
  note: string
  isBusy: boolean
  onChoose: () => void
}

const Choice = ({ label, note, isBusy, onChoose }: ChoiceProps) => (
  <li className="border-line not-last:border-b">
    <button
      type="button"
      className="flex min-h-11 w-full items-center gap-2 px-3 text-left"
      disabled={isBusy}
      onClick={onChoose}
    >
      <Plus size={15} className="flex-none text-cache" />
      <span className="min-w-0 flex-1 truncate">{label}</span>
      <span className="text-small text-cache">{note}</span>
    </button>
  </li>
)
