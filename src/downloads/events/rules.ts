import { fieldErrors } from '../../core/http/errors.ts'
import type { EventBody } from './model.ts'

const nameCharsMax = 200
const descriptionCharsMax = 1000
const localCharsMax = 64
const colors = { min: 1, max: 8, usual: 1 }
/** The end of the year 9999, Unix seconds. */
const timeMax = 253_402_300_799

/** The requested event. Times in Unix seconds. */
export interface WantedEvent {
  name: string
  description: string | null
  startTime: number
  endTime: number
  startLocal: string
  endLocal: string
  /** Null keeps the current colour, or uses the default. */
  colorIndex: number | null
}

export const usualColor = colors.usual

const isoPattern = /^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?)?(Z|[+-]\d{2}:\d{2})?$/i

/** Checks all fields at once; throws a field validation listing every fault. */
export function wantedEvent(body: EventBody): WantedEvent {
  const errors: { field: string; message: string }[] = []
  const refuse = (field: string, message: string) => errors.push({ field, message })

  const name = body.name?.trim() ?? ''
  if (name === '') refuse('Name', 'The name is required')
  if (name.length > nameCharsMax) refuse('Name', `The name has at most ${nameCharsMax} characters`)
  const description = body.description?.trim() ?? ''
  if (description.length > descriptionCharsMax) {
    refuse('Description', `The description has at most ${descriptionCharsMax} characters`)
  }

  const time = (field: string, value: number | null | undefined): number => {
    if (Number.isInteger(value) && Number(value) > 0 && Number(value) <= timeMax) {
      return Number(value)
    }
    refuse(field, 'A time in Unix seconds after 1970 is required')
    return Number.NaN
  }
  const startTime = time('StartTime', body.startTime)
  const endTime = time('EndTime', body.endTime)
  if (endTime <= startTime) refuse('EndTime', 'The end is after the start')

  const local = (field: string, text: string | null | undefined, seconds: number): string => {
    const given = text?.trim() ?? ''
    if (given.length <= localCharsMax && isoPattern.test(given)) return given
    if (given !== '') refuse(field, 'Not an ISO-8601 time')
    return Number.isNaN(seconds) ? '' : new Date(seconds * 1000).toISOString()
  }
  const startLocal = local('StartTimeLocal', body.startTimeLocal, startTime)
  const endLocal = local('EndTimeLocal', body.endTimeLocal, endTime)

  const colorIndex = body.colorIndex ?? null
  const isColor =
    Number.isInteger(colorIndex) &&
    Number(colorIndex) >= colors.min &&
    Number(colorIndex) <= colors.max
  if (colorIndex !== null && !isColor) {
    refuse('ColorIndex', `The colour is a number from ${colors.min} to ${colors.max}`)
  }
  if (errors.length > 0) throw fieldErrors(errors)
  const text = description === '' ? null : description
  return { name, description: text, startTime, endTime, startLocal, endLocal, colorIndex }
}
