/** 1 = Monday ... 7 = Sunday, as `Intl` counts. */
export type Weekday = number

interface WeekInfo {
  firstDay: Weekday
}
/**
 * Not in every version's types: a method in some browsers, a property in others, missing in a few.
 */
interface KnowsWeeks {
  getWeekInfo?: () => WeekInfo
  weekInfo?: WeekInfo
}

/** The first weekday of the region; Monday if unknown. */
export function firstWeekday(region: string): Weekday {
  const locale: KnowsWeeks = new Intl.Locale(region)
  return locale.getWeekInfo?.().firstDay ?? locale.weekInfo?.firstDay ?? 1
}
