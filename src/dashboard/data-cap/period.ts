/** The month of a line's contract around `now`, which begins at midnight in the time zone. */
export function periodAt(now: Date, firstDay: number, timeZone: string) {
  /** A month without that day begins on its last one. */
  const startIn = (month: Temporal.PlainYearMonth) =>
    month.toPlainDate({ day: Math.min(firstDay, month.daysInMonth) })
  const today = Temporal.Instant.fromEpochMilliseconds(now.getTime())
    .toZonedDateTimeISO(timeZone)
    .toPlainDate()
  const ofToday = today.toPlainYearMonth()
  const isBefore = Temporal.PlainDate.compare(today, startIn(ofToday)) < 0
  const month = isBefore ? ofToday.subtract({ months: 1 }) : ofToday
  const instantOf = (date: Temporal.PlainDate) =>
    new Date(date.toZonedDateTime(timeZone).epochMilliseconds)
  return { from: instantOf(startIn(month)), until: instantOf(startIn(month.add({ months: 1 }))) }
}
