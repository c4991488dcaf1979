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

const releases = releasesOf(changelog)
/** Entries of a section at first. */
const shownMax = 8

/** What is running, and what has changed in it; everything comes with the build. */
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
        <p className="mt-3 flex flex-wrap gap-x-5 gap-y-1 text-[13px]">
          <a href="/notice.txt" target="_blank" className="link">
            {t('version.licences')}
          </a>
          <a href="/licences.txt" target="_blank" className="link">
            {t('version.dashboardLicences')}
          </a>
        </p>
      </Card>
      {releases.map((release) => (
        <Changes key={release.title} release={release} />
      ))}
    </SettingsPage>
  )
}

const Changes = ({ release: { title, sections } }: { release: Release }) => (
  <Card title={title}>
    {sections.map((section) => (
      <Part key={section.title} section={section} />
    ))}
  </Card>
)

function Part({ section: { title, entries } }: { section: Release['sections'][number] }) {
  const [shown, setShown] = useState(shownMax)
  return (
    <section className="not-first:mt-4">
      <h3 lang="en" className="mb-1.5 text-small font-semibold">
        {title}
      </h3>
      <ul
        lang="en"
        className="max-w-[86ch] list-disc space-y-1 pl-5 text-[13px] wrap-anywhere text-dim"
      >
        {entries.slice(0, shown).map((entry) => (
          <li key={entry}>{entry.split('`').map(Piece)}</li>
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

/** Every second piece stood between backquotes. */
const Piece = (text: string, index: number) =>
  index % 2 === 0 ? text : <code key={`${index} ${text}`}>{text}</code>
