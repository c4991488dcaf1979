interface PatientServer {
  timeout(request: Request, seconds: number): void
}

/**
 * Extends the idle limit of one call; by default the framework closes a connection after 30 seconds
 * without data. Whole seconds, 255 at most. Null: no server, as in tests.
 */
export function allowSeconds(server: PatientServer | null, request: Request, seconds: number) {
  server?.timeout(request, seconds)
}
