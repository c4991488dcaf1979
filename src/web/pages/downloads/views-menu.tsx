import { useDownloadsSearch } from '../../app/use-address.ts'
import { useNavigate } from '@tanstack/react-router'
import { Bookmark, Check, Pencil, Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import type { SavedView } from '../../../downloads/views/model.ts'
import { api, unwrap, keys } from '../../api/client.ts'
import { useRead } from '../../api/queries.ts'
import { withRange } from '../../app/range.ts'
import {
  downloadsSearch,
  parseAddress,
  writeAddress,
  type DownloadsSearch,
} from '../../app/search-state.ts'
import { Popover } from '../../components/popover.tsx'
import { Button, Form } from '../../components/form-controls.tsx'
import { t } from '../../locales/translate.ts'
import { useSave } from '../../app/use-save.ts'

const page = 'downloads'
const nameMax = 100

const useViews = () => useRead(keys.views, api.ext.views.get, { staleTime: 60_000 })

/** The URL without the page number: a view stores filters, not a position. */
const queryOf = (search: DownloadsSearch): string =>
  writeAddress({ ...downloadsSearch({ ...search, page: undefined }) }).slice(1)

/** Saved filters of the signed-in account. */
export function ViewsMenu() {
  const { search } = useDownloadsSearch()
  const { data = [] } = useViews()
  const views = data.filter((view) => view.page === page)
  const query = queryOf(search)
  const shown = views.find((view) => view.query === query)
  const [isWanted, setIsWanted] = useState(false)
  const face = (
    <>
      <Bookmark size={15} fill={shown === undefined ? 'none' : 'currentColor'} />
      {shown !== undefined && (
        <span className="max-w-[120px] truncate max-md:sr-only">{shown.name}</span>
      )}
    </>
  )
  return (
    <Popover
      label={t('views.label')}
      face={face}
      buttonClass="control px-2.5"
      className="w-[300px]"
      onOpen={() => setIsWanted(true)}
    >
      {(close) => (
        <>
          {views.length === 0 && (
            <p className="px-3 pt-1.5 pb-2 text-small text-dim">{t('views.none')}</p>
          )}
          <ul className="max-h-[40dvh] overflow-y-auto">
            {views.map((view) => (
              <ViewRow key={view.id} view={view} isShown={view.id === shown?.id} close={close} />
            ))}
          </ul>
          {isWanted && shown === undefined && <NewView key={query} query={query} />}
        </>
      )}
    </Popover>
  )
}

interface ViewRowProps {
  view: SavedView
  isShown: boolean
  close: () => void
}

function ViewRow({ view, isShown, close }: ViewRowProps) {
  const navigate = useNavigate()
  const [name, setName] = useState<string | null>(null)
  const { save } = useSave({ stale: [keys.views] })
  const place = api.ext.views({ id: view.id })
  const body = { name: view.name, page, query: view.query }
  const put = (next: string) => unwrap(place.put({ ...body, name: next }))
  if (name !== null) {
    const rename = () => {
      setName(null)
      const wanted = name.trim()
      if (wanted === '' || wanted === view.name) return
      save({
        run: () => put(wanted),
        undo: () => put(view.name),
        done: t('views.wasRenamed', { name: wanted }),
      })
    }
    return (
      <li>
        <Form onSubmit={rename} className="flex gap-1.5 p-1">
          <input
            className="input h-[32px] text-[13px]"
            aria-label={t('views.name')}
            maxLength={nameMax}
            autoFocus
            value={name}
            onChange={({ target }) => setName(target.value)}
          />
          <Button type="submit" className="h-[32px] px-2" aria-label={t('views.rename')}>
            <Check size={14} />
          </Button>
        </Form>
      </li>
    )
  }
  const action = 'rounded-control p-2 text-dim hover:bg-raise hover:text-text'
  return (
    <li className="flex items-center">
      <button
        type="button"
        aria-current={isShown}
        className="min-w-0 flex-1 truncate rounded-control px-3 py-2 text-left text-[13px] hover:bg-raise aria-[current=true]:bg-raise aria-[current=true]:font-semibold"
        onClick={() => {
          close()
          void navigate({
            to: '/downloads',
            search: withRange(downloadsSearch(parseAddress(view.query))),
          })
        }}
      >
        {view.name}
      </button>
      <button
        type="button"
        className={action}
        aria-label={`${t('views.rename')}: ${view.name}`}
        onClick={() => setName(view.name)}
      >
        <Pencil size={13} />
      </button>
      <button
        type="button"
        className={action}
        aria-label={`${t('views.delete')}: ${view.name}`}
        onClick={() =>
          save({
            run: () => unwrap(place.delete()),
            undo: () => unwrap(api.ext.views.post(body)),
            done: t('views.wasDeleted', { name: view.name }),
          })
        }
      >
        <Trash2 size={13} />
      </button>
    </li>
  )
}

function NewView({ query }: { query: string }) {
  const [name, setName] = useState('')
  const { save, isBusy } = useSave({ stale: [keys.views] })
  const submit = () => {
    const wanted = name.trim()
    save({
      run: () => unwrap(api.ext.views.post({ name: wanted, page, query })),
      done: t('views.wasSaved', { name: wanted }),
    })
  }
  return (
    <Form onSubmit={submit} className="mt-1.5 flex gap-1.5 border-t border-line p-1 pt-2.5">
      <input
        className="input h-[34px] text-[13px]"
        aria-label={t('views.name')}
        placeholder={t('views.placeholder')}
        maxLength={nameMax}
        required
        value={name}
        onChange={({ target }) => setName(target.value)}
      />
      <Button type="submit" className="px-2.5" disabled={isBusy || name.trim() === ''}>
        <Plus size={14} />
        {t('views.save')}
      </Button>
    </Form>
  )
}
