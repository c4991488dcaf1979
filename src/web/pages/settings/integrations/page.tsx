import { Link } from '@tanstack/react-router'
import { useDeferredValue, useState } from 'react'
import { platformFacts } from '../../../../platforms/platforms.ts'
import { api, unwrap } from '../../../api/eden.ts'
import { useGameImages } from '../../../api/game-images.ts'
import { keys } from '../../../api/keys.ts'
import { useUnnamed } from '../../../api/cache-queries.ts'
import { useSave } from '../../../app/use-save.ts'
import { Card } from '../../../components/card.tsx'
import { Pending } from '../../../components/notice.tsx'
import { SearchField } from '../../../components/search-field.tsx'
import { ScheduleLink } from '../../../components/schedule-link.tsx'
import { Action } from '../../../components/setting-controls.tsx'
import { Row } from '../../../components/setting.tsx'
import { Table } from '../../../components/table.tsx'
import { countText } from '../../../format/numbers.ts'
import { t, tn } from '../../../locales/translate.ts'
import { AccountsLink } from '../platform-accounts/link.tsx'
import { SettingsPage } from '../settings-page.tsx'
import { DepotsCard } from './depots-card.tsx'
import { useBetaNames, useEpsilonNames } from './queries.ts'

/** Outside services that name downloads. */
export function Page() {
  return (
    <SettingsPage title={t('settings.integrations')}>
      <DepotsCard />
      <NamesCard />
      <ImagesCard />
    </SettingsPage>
  )
}

/** Images of games: how many there are, and a way to fetch them anew. */
function ImagesCard() {
  const images = useGameImages()
  const saving = useSave({ stale: [keys.images] })
  return (
    <Card title={t('images.title')} note={t('images.note')}>
      <Row title={images === undefined ? '' : tn('images.count', images.ids.size)}>
        <Action
          label={t('images.clear')}
          consequence={t('images.clearText')}
          run={() => unwrap(api['game-images'].cache.delete())}
          done={t('images.cleared')}
          saving={saving}
        />
        <ScheduleLink of="gameImageFetch" />
      </Row>
    </Card>
  )
}

/** Rows of each platform. */
const shownRows = 20

/** Names that Epic and Xbox accounts brought, and how many titles are without one. */
function NamesCard() {
  const [text, setText] = useState('')
  const wanted = useDeferredValue(text.trim())
  const beta = useBetaNames(wanted)
  const epsilon = useEpsilonNames(wanted)
  const rows = [
    ...(beta.data ?? []).slice(0, shownRows).map(({ appId, name }) => ({
      platform: platformFacts['beta'].title,
      id: appId,
      name,
    })),
    ...(epsilon.data ?? []).slice(0, shownRows).map(({ productId, title }) => ({
      platform: platformFacts['epsilon'].title,
      id: productId,
      name: title,
    })),
  ]
  const isThere = beta.data !== undefined && epsilon.data !== undefined
  return (
    <Card title={t('knownNames.title')} note={t('knownNames.note')}>
      <div className="mb-3 flex">
        <SearchField label={t('knownNames.search')} value={text} onChange={setText} />
      </div>
      {!isThere && <Pending error={beta.error ?? epsilon.error} rows={3} />}
      {isThere && rows.length === 0 && (
        <p className="text-small text-dim">
          {t(wanted === '' ? 'knownNames.none' : 'knownNames.noMatch')}
        </p>
      )}
      {rows.length > 0 && (
        <Table
          label={t('knownNames.title')}
          head={[t('knownNames.name'), t('knownNames.platform'), t('knownNames.id')]}
        >
          {rows.map(({ platform, id, name }) => (
            <tr key={`${platform} ${id}`} className="border-b border-line">
              <td className="py-1.5 pr-3">{name}</td>
              <td className="py-1.5 pr-3">{platform}</td>
              <td className="py-1.5 break-all">{id}</td>
            </tr>
          ))}
        </Table>
      )}
      <div className="pt-3">
        <AccountsLink note={t('platformAccounts.ofNames')} />
        <Unnamed />
      </div>
    </Card>
  )
}

/** Titles in the cache that no catalogue knows; they are named on a page of their own. */
function Unnamed() {
  const { data } = useUnnamed()
  if (data === undefined) return null
  const count = data.filter(({ gameName }) => gameName === null).length
  return (
    <Row
      title={t('knownNames.unnamed')}
      note={count === 0 ? t('knownNames.allNamed') : t('knownNames.unnamedNote')}
    >
      <span className="figure">{countText(count)}</span>
      <Link to="/cache/unnamed" className="link">
        {t('knownNames.open')}
      </Link>
    </Row>
  )
}
