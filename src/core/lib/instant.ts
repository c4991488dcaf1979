const pattern = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(Z|[+-]\d\d:\d\d)?)?$/i

/** The instant of an ISO-8601 text, in UTC where it names no offset; null: it is none. */
export function instantOf(text: string): Date | null {
  const [, day, time = '00:00', offset = 'Z'] = pattern.exec(text.trim()) ?? []
  if (day === undefined) return null
  const [midnight, at] = [new Date(`${day}T00:00Z`), new Date(`${day}T${time}${offset}`)]
  if (Number.isNaN(midnight.getTime()) || Number.isNaN(at.getTime())) return null
  // The language takes 31 February for 3 March.
  return midnight.toISOString().startsWith(day) ? at : null
}
