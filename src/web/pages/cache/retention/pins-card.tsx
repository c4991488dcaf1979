import { X } from 'lucide-react'
import { useId, useState } from 'react'
import { api, unwrap } from '../../../api/client.ts'
import { Card, Pending } from '../../../components/card.tsx'
import { Button, Form, IconButton } from '../../../components/form-controls.tsx'
import { t, tn } from '../../../locales/translate.ts'
import { useSave } from '../../../app/use-save.ts'
import { retentionKey, useCanChange, useGames, usePins } from './queries.ts'

const pinsApi = api.ext.retention.pins
const pin = (game: { key: string; name: string }) =>
  unwrap(pinsApi.put({ gameKey: game.key, name: game.name }))
const unpin = (gameKey: string) => unwrap(pinsApi.delete({}, { query: { gameKey } }))

/** Games that no rule removes. */
export function PinsCard() {
  const { games, nameOf } = useGames()
  const canChange = useCanChange()
  const id = useId()
  const { data: kept, error } = usePins()
  const data = kept?.map(({ gameKey, name }) => ({ gameKey, name: nameOf(gameKey, name) }))
  const { save, isBusy } = useSave({ stale: [retentionKey] })
  const [text, setText] = useState('')
  const pinned = new Set(data?.map(({ gameKey }) => gameKey))
  const others = games.filter(({ key }) => !pinned.has(key))
  const chosen = others.find(({ name }) => name.toLowerCase() === text.trim().toLowerCase())
  const submit = () => {
    if (chosen === undefined) return
    save({
      run: () => pin(chosen),
      done: t('retention.pinned', { name: chosen.name }),
      undo: () => unpin(chosen.key),
      after: () => setText(''),
    })
  }
  return (
    <Card title={t('retention.pins')} note={data && tn('retention.pinsNote', data.length)}>
      {data === undefined && <Pending error={error} rows={2} />}
      {data !== undefined && canChange && (
        <Form onSubmit={submit} className="mb-2 flex gap-2">
          <input
            aria-label={t('retention.pinGame')}
            list={`${id}-games`}
            className="input h-[34px] min-w-0 flex-1"
            placeholder={t('retention.pinGame')}
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
          <datalist id={`${id}-games`}>
            {others.map(({ key, name }) => (
              <option key={key} value={name} />
            ))}
          </datalist>
          <Button type="submit" disabled={chosen === undefined || isBusy}>
            {t('retention.pin')}
          </Button>
        </Form>
      )}
      <p role="status" className="text-small text-dim not-empty:mb-2">
        {text.trim() !== '' && chosen === undefined && t('retention.pinUnknown')}
      </p>
      <ul>
        {data?.map(({ gameKey, name }) => (
          <li
            key={gameKey}
            className="flex items-center gap-3 border-line py-1.5 not-last:border-b"
          >
            <span className="min-w-0 flex-1 truncate">{name}</span>
            {canChange && (
              <IconButton
                label={t('retention.unpin', { name })}
                isOff={isBusy}
                onClick={() =>
                  save({
                    run: () => unpin(gameKey),
                    done: t('retention.unpinned', { name }),
                    undo: () => pin({ key: gameKey, name }),
                  })
                }
              >
                <X size={15} />
              </IconButton>
            )}
          </li>
        ))}
      </ul>
    </Card>
  )
}
