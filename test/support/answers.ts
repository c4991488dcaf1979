/** Status and body, as tests compare them. */
export const json = async (response: Response): Promise<unknown[]> => [
  response.status,
  await response.json(),
]

/** The same by name, where members of the body are read. */
export const answerOf = async (response: Response) => ({
  status: response.status,
  body: (await response.json()) as Record<string, unknown>,
})

/** What the work is rejected with; null when it succeeds. */
export const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => null,
    (error: unknown) => error,
  )

/** The body of an answer that must have this status; null where it is empty. */
export async function bodyOf<T = Record<string, unknown>>(
  response: Response,
  status = 200,
): Promise<T> {
  const text = await response.text()
  if (response.status !== status) throw new Error(`${response.status}: ${text}`)
  // Answers of our own service.
  return (text === '' ? null : JSON.parse(text)) as T
}

/** What the work throws; null when it succeeds. */
export function thrownBy(work: () => unknown): unknown {
  try {
    work()
    return null
  } catch (error) {
    return error
  }
}
