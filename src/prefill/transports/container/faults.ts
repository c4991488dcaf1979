/** HTTP status of the engine's refusal; 0 when there was no answer. */
export const statusOf = (error: unknown): number =>
  (error as { statusCode?: number } | null)?.statusCode ?? 0

/** The engine's own words, without the library's preamble. May contain settings: never log it. */
export const messageOf = (error: unknown): string => {
  const { json, message = '' } = error as { json?: { message?: unknown }; message?: string }
  return typeof json?.message === 'string' ? json.message : message
}

/** Runs a request whose refusal with one of these statuses means that nothing is left to do. */
export async function tolerating(
  statuses: readonly number[],
  request: () => Promise<unknown>,
): Promise<void> {
  try {
    await request()
  } catch (error) {
    if (!statuses.includes(statusOf(error))) throw error
  }
}
