interface Section {
  title: string
  entries: string[]
}

export interface Release {
  title: string
  sections: Section[]
}

/** The releases of a changelog in the form of Keep a Changelog, newest first. */
export function releasesOf(changelog: string): Release[] {
  const releases: Release[] = []
  for (const line of changelog.split('\n')) {
    const [, marks, text = ''] = /^(## |### |- | {2})(.*)$/.exec(line) ?? []
    const sections = releases.at(-1)?.sections
    const entries = sections?.at(-1)?.entries
    if (marks === '## ') releases.push({ title: text.replace(/[[\]]/g, ''), sections: [] })
    else if (marks === '### ') sections?.push({ title: text, entries: [] })
    else if (marks === '- ') entries?.push(text)
    // An entry that was wrapped.
    else if (marks === '  ') entries?.push(`${entries.pop() ?? ''} ${text}`)
  }
  return releases
}
