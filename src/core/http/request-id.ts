const ids = new WeakMap<Request, string>()

/**
 * The id of a request in the log, in `X-Request-Id` and, on failure, as `traceId` in the response:
 * users can quote it to find the log line.
 */
export function requestIdOf(request: Request): string {
  const known = ids.get(request)
  if (known !== undefined) return known
  const id = crypto.randomUUID()
  ids.set(request, id)
  return id
}
