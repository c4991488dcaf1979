interface PatientServer {
  timeout(request: Request, seconds: number): void
}

/**
 * Extends the idle limit of one call; by default a connection without data is closed after ten
 * seconds. Whole seconds, 255 at most. Null: no server, as in tests.
 */
export function allowSeconds(server: PatientServer | null, request: Request, seconds: number) {
  server?.timeout(request, seconds)
}
