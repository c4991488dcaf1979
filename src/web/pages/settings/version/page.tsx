import changelog from '../../../../../CHANGELOG.md' with { type: 'text' }
import { useState } from 'react'
import { useServiceStatus } from '../../../api/queries.ts'
import { Button } from '../../../components/button.tsx'
import { Card } from '../../../components/card.tsx'
import { Facts } from '../../../components/facts.tsx'
import { Pending } from '../../../components/notice.tsx'
import { fullMomentText } from '../../../format/times.ts'
import { t, tn } from '../../../locales/translate.ts'
import { SettingsPage } from '../settings-page.tsx'
import { releasesOf, type Release } from './changes.ts'
import { MemoryCard } from './memory-card.tsx'
import { UpdatesCard } from './updates-card.tsx'

const releases = releasesOf(changelog)
/** Entries of a section at first. */
const shownMax = 8

/** What is running, what has changed in it, and whether there is something newer. */
export function Page() {
  const { data, error } = useServiceStatus()
  return (
    <SettingsPage title={t('settings.version')}>
      <Card title="Larder">
        {data === undefined ? (
          <Pending error={error} rows={2} />
        ) : (
          <Facts
            facts={[
              [t('settings.version'), data.version],
              [t('version.since'), fullMomentText(new Date(data.startedAt))],
            ]}
          />
        )}
        <p className="flex flex-wrap gap-x-5 gap-y-1 text-[13px]">
          <a href="/notice.txt" target="_blank" className="link">
            {t('version.licences')}
          </a>
          <a href="/licences.txt" target="_blank" className="link">
            {t('version.dashboardLicences')}
          </a>
        </p>
      </Card>
      <UpdatesCard />
      <MemoryCard />
      {releases.map((release) => (
        <Changes key={release.title} release={release} />
      ))}
    </SettingsPage>
  )
}

const Changes = ({ release: { title, sections } }: { release: Release }) => (
  <Card title={title}>
    <div className="space-y-4">
      {sections.map((section) => (
        <Part key={section.title} section={section} />
      ))}
    </div>
  </Card>
)

function Part({ section: { title, entries } }: { section: Release['sections'][number] }) {
  const [shown, setShown] = useState(shownMax)
  return (
    <section>
      <h3 lang="en" className="mb-1.5 text-small font-semibold">
        {title}
      </h3>
      <ul
        lang="en"
        className="max-w-[86ch] list-disc space-y-1 pl-5 text-[13px] wrap-anywhere text-dim"
      >
        {entries.slice(0, shown).map((entry) => (
          <li key={entry}>{entry.split(marks).map(Piece)}</li>
        ))}
      </ul>
      {entries.length > shown && (
        <Button className="mt-2" onClick={() => setShown(entries.length)}>
          {tn('version.all', entries.length)}
        </Button>
      )}
    </section>
  )
}

/** Pieces of an entry that are marked as code, strong or emphasised. */
const marks = /(`[^`]+`|\*\*.+?\*\*|\b_[^_]+_\b)/

function Piece(text: string, index: number) {
  const key = `${index} ${text}`
  if (text.startsWith('`')) return <code key={key}>{text.slice(1, -1)}</code>
  if (text.startsWith('**')) {
    return <strong key={key}>{text.slice(2, -2).replaceAll('`', '')}</strong>
  }
  return /^_.+_$/.test(text) ? <em key={key}>{text.slice(1, -1)}</em> : text
}
