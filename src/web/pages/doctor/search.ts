/** What is looked for as it stands in the address. */
export interface DoctorSearch {
  client?: string | undefined
  /** How far back the log is looked through; absent: it was not asked for. */
  minutes?: number | undefined
  source?: string | undefined
  url?: string | undefined
  tag?: string | undefined
}

export const spans = [15, 60, 360, 1440] as const

const textOf = (value: unknown, max: number): string | undefined => {
  const text = typeof value === 'string' ? value.trim().slice(0, max) : ''
  return text === '' ? undefined : text
}

export function doctorSearch(search: Record<string, unknown>): DoctorSearch {
  const found: DoctorSearch = {
    client: textOf(search['client'], 100),
    minutes: spans.find((known) => known === Number(search['minutes'])),
    source: textOf(search['source'], 100),
    url: textOf(search['url'], 4000),
    tag: textOf(search['tag'], 300),
  }
  const kept = Object.entries(found).filter(([, value]) => value !== undefined)
  return Object.fromEntries(kept) // the same members, only the empty ones are gone
}
