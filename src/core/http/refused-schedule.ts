import { ScheduleError } from '../schedules/custom.ts'
import { done } from './schema.ts'

/** Changes a schedule. Its refusal is plain text, which clients show as it is. */
export function orRefusedSchedule(change: () => void): Response {
  try {
    return done(change())
  } catch (error) {
    if (!(error instanceof ScheduleError)) throw error
    const headers = { 'Content-Type': 'text/plain; charset=utf-8' }
    return new Response(error.message, { status: 400, headers })
  }
}
