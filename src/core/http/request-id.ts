const ids = new WeakMap<Request, string>()

/**
 * The id under which a request appears in the log, in `X-Request-Id` and, when it fails, as
 * `traceId` in the answer: what a person quotes leads to the line.
 */
export function requestIdOf(request: Request): string {
  const known = ids.get(request)
  if (known !== undefined) return known
  const id = crypto.randomUUID()
  ids.set(request, id)
  return id
}
