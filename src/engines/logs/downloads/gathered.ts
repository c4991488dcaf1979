import type { DayName } from './day-names.ts'
import type { HostTitle } from './host-titles.ts'
import type { Group, Session, TrafficPart } from './session.ts'

/** What a commit writes besides positions. */
export interface Gathered {
  lastId: number
  sessions: Session[]
  traffic: { group: Group; part: TrafficPart }[]
  hostTitles: HostTitle[]
  dayNames: DayName[]
}

export const nothingSince = (lastId: number): Gathered => ({
  lastId,
  sessions: [],
  traffic: [],
  hostTitles: [],
  dayNames: [],
})
