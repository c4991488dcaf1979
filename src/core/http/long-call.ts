/*
 * Silent calls. The server closes a connection after 30 seconds without a byte; `long-call.ts`
 * gives a call that is known to be long the time it needs. A question to an engine that has said
 * nothing for seven seconds is answered with 503, before the connection would be closed.
 */
interface PatientServer {
  timeout(request: Request, seconds: number): void
}

/**
 * Extends the idle limit of one call; by default the framework closes a connection after 30 seconds
 * without data. Whole seconds, 255 at most; 0: never. Null: no server, as in tests.
 */
export function allowSeconds(server: PatientServer | null, request: Request, seconds: number) {
  server?.timeout(request, seconds)
}
