import { expect } from 'bun:test'
import type { Operations, OperationView } from '../../src/core/operations/contract.ts'

type Jobs = Pick<Operations, 'find' | 'list' | 'onChange'>

/** Looks now and after every change of a job, until there is a result. */
function until<T>(operations: Jobs, result: () => T | null): Promise<T> {
  const { promise, resolve } = Promise.withResolvers<T>()
  const check = () => {
    const found = result()
    if (found !== null) resolve(found)
  }
  operations.onChange(check)
  check()
  return promise
}

const isOver = ({ finishedAt }: OperationView) => finishedAt !== null

/** Waits until no job is running or queued. */
export const allEnded = (operations: Jobs) =>
  until(operations, () => operations.list().every(isOver) || null)

/** Waits for the end of a job, and returns its last state. */
export const jobEnd = (operations: Jobs, id: string) =>
  until(operations, () => {
    const view = operations.find(id)
    return view !== null && isOver(view) ? view : null
  })

/** The same for the job that an answer says was begun. */
export async function begunJobEnd(operations: Jobs, answer: Response): Promise<OperationView> {
  const body = (await answer.json()) as { operationId: string }
  expect({ status: answer.status, body }).toMatchObject({ status: 202 })
  return jobEnd(operations, body.operationId)
}
